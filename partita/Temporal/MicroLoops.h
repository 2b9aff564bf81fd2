//===- MicroLoops.h - writes the loops over microbatches ------------------===//

#ifndef PARTITA_TEMPORAL_MICROLOOPS_H
#define PARTITA_TEMPORAL_MICROLOOPS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Temporal/Accumulate.h"
#include "partita/Temporal/Placement.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

/// Everything that was decided.
struct MicroDecision {
  const MicroProgram &program;
  const Units &units;
  const Forms &forms;
  const MicroPlacement &placement;
};

/// Replaces the body of `main`. `made`, if not null, gets the loops.
Accumulated writeLoops(mlir::func::FuncOp main, const MicroDecision &decision, bool inSingle,
                       llvm::SmallVectorImpl<stablehlo::WhileOp> *made = nullptr);

} // namespace partita::temporal

#endif
