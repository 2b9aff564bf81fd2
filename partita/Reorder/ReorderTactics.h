//===- ReorderTactics.h - applies the reorder tactic of a schedule --------===//
//
//   {"name": "qkv", "reorder": [["params/c_attn", 1, 8]], "store": true}
//
// One product computes queries, keys and values side by side. Its weight is
// [h, 3h], and devices that split the 3h columns have some of one part or of two:
// slices of the product move between them (Graph/RowMoves.h). In another order of
// the columns (Program/DimOrder.h) each device has a piece of every part, and no
// slice moves anything. The rewrite gives that order to the dims that the tactic
// names and to all that belong to them (OrderReach.h); results of ops that it does
// not know are brought back into the program's.
//
// Arguments and results are those of the original: a weight is brought into its
// order behind the border. Where it is *stored* so, nothing moves at all.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REORDER_REORDERTACTICS_H
#define PARTITA_REORDER_REORDERTACTICS_H

#include "partita/Program/Flatten.h"
#include "partita/Reorder/ProgramReorderer.h"
#include "partita/Schedule/PlanSource.h"

namespace partita::reorder {

/// The reorder tactic of a schedule or of a plan that is replayed; null if there is none.
const ReorderTactic *findReorderTactic(const PlanSource &source);

/// A dim that has another order.
struct ReorderedDim {
  std::string name;
  uint32_t dim = 0;
  DimOrder order;
};

/// What the tactic did.
struct ReorderReport {
  /// Dims that belong together are named once.
  std::vector<ReorderedDim> dims;
  std::vector<StoredOrder> stored;
  ReorderCounts counts;
};

/// Rewrites `module`, which is in normal form, as the tactic says. Errors: a pattern that matches no argument, a dim
/// that does not exist or has no parts side by side.
Result<ReorderReport> applyReorderTactic(mlir::ModuleOp module, const ReorderTactic &tactic,
                                         const FlattenOptions &options);

/// The dims of arguments in which parts lie side by side that so many devices can share, and the bytes of all arguments
/// that belong to each.
struct FusedArgument {
  unsigned argument = 0;
  uint32_t dim = 0;
  int64_t bytes = 0;
};
Result<std::vector<FusedArgument>> findFusedArguments(mlir::ModuleOp module, const Flattened &flattened, int64_t groups,
                                                      const FlattenOptions &options);

} // namespace partita::reorder

#endif
