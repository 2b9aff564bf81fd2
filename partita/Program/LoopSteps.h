//===- LoopSteps.h - what a loop reads and writes slice by slice ----------===//

#ifndef PARTITA_PROGRAM_LOOPSTEPS_H
#define PARTITA_PROGRAM_LOOPSTEPS_H

#include "partita/Program/LoopAffine.h"
#include "partita/Program/Loops.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// The values that the body of `loop` steps through, in the order of the ops that do it. `evaluator` knows the
/// counters of the loop over `iterations`, which are those of the body.
llvm::SmallVector<SteppedOperand> findSteppedOperands(stablehlo::WhileOp loop, AffineEvaluator &evaluator,
                                                      Iterations iterations);

} // namespace partita::program

#endif
