//===- Warnings.h - warnings about a plan, on standard error --------------===//

#ifndef PARTITA_REPORT_WARNINGS_H
#define PARTITA_REPORT_WARNINGS_H

#include "partita/Program/Flatten.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::report {

/// Warns of ops that are kept whole because their computation is unknown: which, how many, and where the first is.
void reportUnknown(llvm::ArrayRef<UnknownOp> unknown);

/// Warns of rules of --rule whose target the program never calls.
void reportUncalled(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules);

/// Warns of donated arguments whose buffers no result takes.
void reportDropped(const Graph &graph, llvm::ArrayRef<unsigned> dropped);

/// Says that the plan is the user's own, since the search found nothing better.
void reportBaselineKept();

/// Warns of loops whose number of trips is neither known nor given.
void reportAssumedTrips(const Score &score);

} // namespace partita::report

#endif
