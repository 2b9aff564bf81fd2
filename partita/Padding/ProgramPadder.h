//===- ProgramPadder.h - writes the padded program ------------------------===//

#ifndef PARTITA_PADDING_PROGRAMPADDER_H
#define PARTITA_PADDING_PROGRAMPADDER_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Padding/PadProgram.h"
#include "partita/Padding/PaddedOps.h"

#include <map>

namespace partita::padding {

/// Changes @main in place, in program order: ops that the padding reaches take and give longer values, all others take
/// values without padding.
class ProgramPadder {
public:
  ProgramPadder(mlir::func::FuncOp main, const PaddingReach &reach, const llvm::DenseSet<mlir::Operation *> &freeOps,
                const UserRules &userRules, bool isPoisoned)
      : main(main), reach(reach), freeOps(freeOps), userRules(userRules), isPoisoned(isPoisoned) {}

  PaddingCounts run(llvm::ArrayRef<StoredState> stored);
  const llvm::DenseMap<mlir::Value, PaddedValue> &getPaddedValues() const { return values; }

private:
  using Shape = llvm::SmallVector<int64_t>;
  using ShapeKey = std::pair<void *, std::vector<int64_t>>;

  void padBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void padReached(mlir::Operation *op, const PaddedList &list);
  void padLoop(stablehlo::WhileOp loop);
  void padBranches(mlir::Operation *op);
  /// Operands of a terminator get the shapes that carried values or results of branches have.
  void padYielded(mlir::Operation *terminator, llvm::ArrayRef<Shape> shapes);
  void cutOperands(mlir::Operation *op);
  /// Gives the argument its longer shape; false if it has none.
  bool storeArgument(mlir::BlockArgument argument);
  void storeResult(mlir::Operation *terminator, StoredState state);

  /// The shape that the reach gives a value.
  Shape getShapeOf(mlir::Value value) const;
  PaddedValue describe(mlir::Value value) const;
  void define(PaddedValue value);
  /// `value` with these sizes, for an op.
  PaddedValue read(mlir::Value value, llvm::ArrayRef<int64_t> shape, mlir::Operation *user);
  PaddedValue resize(mlir::Value value, llvm::ArrayRef<int64_t> shape, mlir::Operation *user);
  /// A copy of the ops that compute a value which depends on no argument, with these sizes; nothing if one of them may
  /// not be longer.
  std::optional<PaddedValue> computeFree(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value emitCut(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> limits);
  mlir::Value emitPad(mlir::OpBuilder &builder, mlir::Value value, llvm::ArrayRef<int64_t> shape);

  mlir::func::FuncOp main;
  const PaddingReach &reach;
  const llvm::DenseSet<mlir::Operation *> &freeOps;
  const UserRules &userRules;
  bool isPoisoned;
  PaddingCounts counts;
  /// Values that have padding.
  llvm::DenseMap<mlir::Value, PaddedValue> values;
  /// Values in other sizes; only looked up.
  std::map<ShapeKey, PaddedValue> resized;
};

} // namespace partita::padding

#endif
