//===- ProgramReorderer.h - writes the program with dims in another order -===//

#ifndef PARTITA_REORDER_PROGRAMREORDERER_H
#define PARTITA_REORDER_PROGRAMREORDERER_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Reorder/OrderReach.h"

#include <map>

namespace partita::reorder {

/// An argument that has its order at the program's border, too, and the results that are its next values.
struct StoredArgument {
  unsigned argument = 0;
  StoredDim stored;
  llvm::SmallVector<unsigned, 1> results;
};

/// What a rewrite did, for reports.
struct ReorderCounts {
  /// Ops that cut parts out of dims or put them in, group by group; values that were brought into another order, and
  /// back.
  int64_t numBridges = 0, numReorders = 0, numRestores = 0;
};

/// Changes @main in place, in program order: ops that the reach has take and give values in its orders, all others
/// values in the program's. No type changes but those of what is stored.
class ProgramReorderer {
public:
  ProgramReorderer(mlir::func::FuncOp main, const OrderReach &reach) : main(main), reach(reach) {}

  ReorderCounts run(llvm::ArrayRef<StoredArgument> stored);

private:
  /// The order of each dim.
  using ValueOrder = llvm::SmallVector<DimOrder, 4>;
  using OrderKey = std::pair<void *, std::vector<int64_t>>;

  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(stablehlo::WhileOp loop);
  void visitBranches(mlir::Operation *op);
  void visitReached(mlir::Operation *op);
  void writeBridge(mlir::Operation *op, const OrderBridge &bridge);
  /// Also in regions that take values from outside.
  void restoreOperands(mlir::Operation *op);
  void setYielded(mlir::Operation *terminator, llvm::ArrayRef<ValueOrder> orders);
  void storeArgument(const StoredArgument &stored);
  void storeResult(unsigned result, const StoredDim &stored);

  ValueOrder getOrderOf(mlir::Value value) const;
  /// The order that the reach gives a value.
  ValueOrder getReached(mlir::Value value) const;
  /// The order of an operand or result of a reached op.
  ValueOrder getOrder(mlir::Operation *op, size_t rank, const ValueFactors &factors) const;
  void define(mlir::Value value, ValueOrder order);
  /// `value` in this order, for an op.
  mlir::Value read(mlir::Value value, const ValueOrder &order, mlir::Operation *user);

  mlir::func::FuncOp main;
  const OrderReach &reach;
  ReorderCounts counts;
  /// Values that are not in the program's order.
  llvm::DenseMap<mlir::Value, ValueOrder> orders;
  /// Values in other orders; only looked up.
  std::map<OrderKey, mlir::Value> converted;
  std::vector<mlir::Operation *> dead;
};

} // namespace partita::reorder

#endif
