//===- LocalArithmetic.h - emits small ops for local forms ----------------===//
//
// Local forms emit integer arithmetic beside their op: where does this device's
// piece start, is it the first, does an index point into it?
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_LOCALARITHMETIC_H
#define PARTITA_PROGRAM_RULES_LOCALARITHMETIC_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// Emits ops at `builder`. Every result's type follows from the operands.
struct LocalArithmetic {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(mlir::DenseElementsAttr value) const;
  /// A scalar `tensor<i64>`.
  mlir::Value integer(int64_t value) const;
  /// A `tensor<Nxi64>`.
  mlir::Value integers(llvm::ArrayRef<int64_t> values) const;
  /// A scalar +0 of the elements of `type`.
  mlir::Value zero(mlir::RankedTensorType type) const;
  mlir::Value convert(mlir::Value value, mlir::Type elementType) const;
  /// As signed integers.
  mlir::Value compare(stablehlo::ComparisonDirection direction, mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value conjunction(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value select(mlir::Value predicate, mlir::Value onTrue, mlir::Value onFalse) const;
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims) const;
  /// Scalars to a vector.
  mlir::Value stack(mlir::ValueRange scalars) const;
  /// Whether all of a tensor<...xi1> along `dim` are true.
  mlir::Value allAlong(mlir::Value value, int64_t dim) const;

  /// Whether this device has the first piece of every factor in `splits`.
  mlir::Value isFirst(llvm::ArrayRef<Split> splits) const;
};

/// The splits of reduced factors.
llvm::SmallVector<Split> getReducedSplits(const LocalContext &local);

/// `value` on the device that has the first piece of all reduced factors, and the combiner's identity elsewhere. For an
/// idempotent combiner, `value` on all devices. `original` is the op's operand, which may be a known constant.
mlir::Value emitCountedOnce(mlir::Location loc, const LocalContext &local, Combiner combiner, mlir::Value original,
                            mlir::Value value);

/// The operands of `op`, which has as many inputs as init values, with init values that are counted once.
llvm::SmallVector<mlir::Value> emitInits(mlir::Operation *op, const LocalContext &local, Combiner combiner);

} // namespace partita::program::rules

#endif
