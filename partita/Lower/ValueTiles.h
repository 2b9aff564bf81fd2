//===- ValueTiles.h - tiles of values that no op's loops show -------------===//
//
// Most splits are visible in the loops around ops. What remains are values that
// a tactic pinned to another sharding than their ops take or give: a parameter
// that is stored in pieces and used whole (ZeRO-3), a residual stream that is
// split between two ops that do not split it. The loop form shows each as a
// loop that splits the value and puts it together again; lowering has a reshard
// there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_VALUETILES_H
#define PARTITA_LOWER_VALUETILES_H

#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Propagate/Assignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::lower {

/// Whether the op only passes on a value of a loop, a branch, a barrier or the program's end.
inline bool isBundle(const Op &op) { return op.opClass == OpClass::Identity && op.role != IdentityRole::Constraint; }

struct ValueTile {
  mlir::Value value;
  /// The use that it precedes; null if it applies to all uses of the value.
  mlir::OpOperand *use = nullptr;
  Sharding sharding;
};

/// All such tiles: of the arguments of `main`, last to first (each is inserted at the beginning of the program), then
/// the others in program order.
std::vector<ValueTile> collectValueTiles(mlir::func::FuncOp main, const Flattened &flattened,
                                         const Assignment &assignment);

} // namespace partita::lower

#endif
