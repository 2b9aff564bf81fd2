//===- Passes.h - lowering as passes, for partita-opt and tests -----------===//

#ifndef PARTITA_LOWER_PASSES_H
#define PARTITA_LOWER_PASSES_H

namespace partita {

/// Makes `--partita-test-partition` known to partita-opt.
void registerLowerPasses();

} // namespace partita

#endif
