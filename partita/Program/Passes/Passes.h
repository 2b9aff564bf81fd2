//===- Passes.h - passes of partita-opt, for tests ------------------------===//
//
// Lit tests run single stages through partita-opt. `--partita-import` rewrites
// the module; the test passes print what they find as remarks.
//
//===----------------------------------------------------------------------===//

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
