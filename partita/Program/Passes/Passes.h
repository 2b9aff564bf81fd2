//===- Passes.h - import as passes, for partita-opt and tests -------------===//

#ifndef PARTITA_PROGRAM_PASSES_PASSES_H
#define PARTITA_PROGRAM_PASSES_PASSES_H

#include "partita/Program/Rooms.h"

namespace partita::program {

/// Makes `--partita-import` and the test passes known to partita-opt.
void registerPasses();

/// Part of `registerPasses`: `--partita-test-loops`.
void registerLoopsPass();

/// Part of `registerPasses`: `--partita-test-rules`.
void registerRulesPass();

} // namespace partita::program

#endif
