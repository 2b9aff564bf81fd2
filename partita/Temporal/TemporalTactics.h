//===- TemporalTactics.h - applies the tactics that rewrite the program ---===//

#ifndef PARTITA_TEMPORAL_TEMPORALTACTICS_H
#define PARTITA_TEMPORAL_TEMPORALTACTICS_H

#include "partita/Remat/RematTactics.h"
#include "partita/Schedule/PlanSource.h"
#include "partita/Temporal/Accumulate.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::temporal {

/// `source` with `--accumulate` as its temporal tactic, unless `count` is 0. An error if it has one already.
Result<PlanSource> addTemporalTactic(PlanSource source, int64_t count);

/// An error if `source` has a tactic that rewrites the program: there is only a flat program.
Status refuseRewrites(const PlanSource &source);

/// What tactics did to the program before it is planned, for reports.
struct Rewrites {
  std::optional<RematReport> remat;
  std::optional<Accumulated> accumulated;
};

/// The program that is planned.
struct PreparedProgram {
  /// Null if no tactic rewrote the program.
  mlir::OwningOpRef<mlir::ModuleOp> rewritten;
  Flattened flattened;
  Rewrites rewrites;
};

/// Flattens `module`, which is in normal form, or a copy of it that tactics of `source` rewrite: first the remat
/// tactic, so that names are those of the program as it was traced, then the temporal one. Without tiles that cuts the
/// batch that the program's structure shows. A schedule gets the tactic that scatters sums (ScatteredSums.h).
Result<PreparedProgram> prepareProgram(mlir::ModuleOp module, PlanSource &source, const FlattenOptions &options);

} // namespace partita::temporal

#endif
