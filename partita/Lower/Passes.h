//===- Passes.h - lowering as passes, for partita-opt and tests -----------===//

#ifndef PARTITA_LOWER_PASSES_H
#define PARTITA_LOWER_PASSES_H

#include "partita/Lower/Rooms.h"

namespace partita::lower {

/// Registers `--partita-test-partition` (Passes.cpp has an example).
void registerLowerPasses();

} // namespace partita::lower

#endif
