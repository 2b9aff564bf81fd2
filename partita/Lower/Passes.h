//===- Passes.h - lowering as passes, for partita-opt and tests -----------===//

#ifndef PARTITA_LOWER_PASSES_H
#define PARTITA_LOWER_PASSES_H

#include "partita/Lower/Rooms.h"

namespace partita::lower {

/// Makes `--partita-test-partition` known to partita-opt.
void registerLowerPasses();

} // namespace partita::lower

#endif
