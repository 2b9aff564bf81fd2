//===- TemporalTactics.h - applies the temporal tactic of a schedule ------===//

#ifndef PARTITA_TEMPORAL_TEMPORALTACTICS_H
#define PARTITA_TEMPORAL_TEMPORALTACTICS_H

#include "partita/Schedule/PlanSource.h"
#include "partita/Temporal/Accumulate.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::temporal {

/// `source` with `--accumulate` as its temporal tactic, unless `count` is 0. An error if it has one already.
Result<PlanSource> addTemporalTactic(PlanSource source, int64_t count);

/// An error if `source` has a temporal tactic: there is only a flat program.
Status refuseTemporalTactic(const PlanSource &source);

/// The program that is planned.
struct PreparedProgram {
  /// Null if no temporal tactic rewrote the program.
  mlir::OwningOpRef<mlir::ModuleOp> rewritten;
  Flattened flattened;
  std::optional<Accumulated> report;
};

/// Flattens `module`, which is in normal form, or a copy of it that the temporal tactic of `source` rewrites. Without
/// tiles the tactic cuts the batch that the program's structure shows. A schedule gets the tactic that scatters sums
/// (ScatteredSums.h).
Result<PreparedProgram> prepareProgram(mlir::ModuleOp module, PlanSource &source, const FlattenOptions &options);

} // namespace partita::temporal

#endif
