//===- LoopSteps.h - values that a loop steps through ---------------------===//
//
// A scan reads slice k of its inputs and writes slice k of its outputs in
// iteration k. Finds such values; Loops.h defines `SteppedOperand`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_LOOPSTEPS_H
#define PARTITA_PROGRAM_LOOPSTEPS_H

#include "partita/Program/LoopAffine.h"
#include "partita/Program/Loops.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// The values that the body of `loop` steps through, in the order of the ops that access them. `evaluator` must know
/// the loop's counters over `iterations`, which are the iterations of the body.
llvm::SmallVector<SteppedOperand> findSteppedOperands(stablehlo::WhileOp loop, AffineEvaluator &evaluator,
                                                      Iterations iterations);

} // namespace partita::program

#endif
