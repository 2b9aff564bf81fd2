//===- LoopMicrobatches.h - runs single loops microbatch by microbatch ----===//
//
// Other than Accumulate.h, which runs the whole step for one microbatch after the
// other, this runs each of some loops of the program's straight code in a loop
// over microbatches of its own. All else sees the whole batch: a loss between a
// forward and a backward loop need not be a sum.
//
//   y = layers(x)   becomes   for m in 0..M: y[m] = layers(x[m])
//
// A pipeline is made of such loops (partita/Pipeline).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_LOOPMICROBATCHES_H
#define PARTITA_TEMPORAL_LOOPMICROBATCHES_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Support/Error.h"
#include "partita/Temporal/Reach.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::temporal {

/// Replaces the body of `main`, of which `flattened` is the flat program, by one in which each of `loops` runs in
/// `count` microbatches of what `roots` cut. `flattened` and `loops` refer to ops that are gone then. Returns the loops
/// over microbatches, in order; each contains one of `loops`. An error says which op needs the whole batch.
Result<llvm::SmallVector<stablehlo::WhileOp>> runLoopsInMicrobatches(mlir::func::FuncOp main,
                                                                     const Flattened &flattened, int64_t count,
                                                                     llvm::ArrayRef<Root> roots,
                                                                     llvm::ArrayRef<stablehlo::WhileOp> loops);

} // namespace partita::temporal

#endif
