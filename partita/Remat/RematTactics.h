//===- RematTactics.h - applies the remat tactic of a schedule ------------===//

#ifndef PARTITA_REMAT_REMATTACTICS_H
#define PARTITA_REMAT_REMATTACTICS_H

#include "partita/Remat/Rematerialize.h"
#include "partita/Remat/Rooms.h"
#include "partita/Schedule/PlanSource.h"

namespace partita::remat {

/// `source` with the patterns of `--recompute` and `--keep` in its remat tactic.
Result<PlanSource> addRematTactic(PlanSource source, llvm::ArrayRef<std::string> recompute,
                                  llvm::ArrayRef<std::string> keep);

/// The remat tactic of a schedule or of a plan that is replayed; null if there is none.
const RematTactic *findRematTactic(const PlanSource &source);

/// The classes that the tactic's patterns match. A class that `keep` matches is kept, whatever else matches it. An
/// error for a pattern that matches nothing says what there is.
Result<RematRequest> makeRequest(const RematTactic &tactic, llvm::ArrayRef<RematClass> classes);

/// Rewrites `module`, which is in normal form, as the tactic says.
Result<RematReport> applyRematTactic(mlir::ModuleOp module, const RematTactic &tactic, const FlattenOptions &options);

} // namespace partita::remat

#endif
