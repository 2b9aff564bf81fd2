//===- TemporalTactics.h - applies the temporal tactic of a schedule ------===//

#ifndef PARTITA_TEMPORAL_TEMPORALTACTICS_H
#define PARTITA_TEMPORAL_TEMPORALTACTICS_H

#include "partita/Schedule/PlanSource.h"
#include "partita/Temporal/Accumulate.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::temporal {

/// The temporal tactic of a schedule or of a plan that is replayed; null if there is none.
const TemporalTactic *findTemporalTactic(const PlanSource &source);

/// A program, rewritten by a temporal tactic.
struct AccumulatedProgram {
  /// Null if nothing was rewritten.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Accumulated> report;
};

/// A copy of `module`, which is in normal form, rewritten as the tactic says. Without tiles it cuts the batch that the
/// program's structure shows.
Result<AccumulatedProgram> accumulateProgram(mlir::ModuleOp module, const TemporalTactic &tactic,
                                             const FlattenOptions &options);

} // namespace partita::temporal

#endif
