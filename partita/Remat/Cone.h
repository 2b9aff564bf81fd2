//===- Cone.h - the ops from kept values to one that is recomputed --------===//

#ifndef PARTITA_REMAT_CONE_H
#define PARTITA_REMAT_CONE_H

#include "partita/Remat/Rooms.h"
#include "partita/Support/Error.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"

namespace partita::remat {

struct Cone {
  /// In program order.
  llvm::SmallVector<mlir::Operation *> ops;
  /// What the ops read: leaves, arguments of the block, and values from outside of it.
  llvm::SetVector<mlir::Value> leaves;
  /// An op that must not run again, if there is one.
  mlir::Operation *forbidden = nullptr;
};

/// The ops of `block` that compute `roots` from values of which `isLeaf` is true. Roots are no leaves.
Cone findCone(llvm::ArrayRef<mlir::Value> roots, mlir::Block &block, llvm::function_ref<bool(mlir::Value)> isLeaf);

/// The refusal of a cone with a forbidden op.
Error refuseSecondRun(mlir::Operation *forbidden);

/// The values from outside that the op or ops inside of it read.
llvm::SmallVector<mlir::Value> findRead(mlir::Operation *op);

} // namespace partita::remat

#endif
