//===- PaddedOps.h - what an op computes on padded operands ---------------===//
//
// One definition for each family of ops. In the elements the result is what the
// op computes on operands without padding; behind them it is anything.
//
//   product        padding along contracted dims is replaced by zeros: in both
//                  operands, unless one is known to be zero there and the other
//                  finite
//   reduction      padding along reduced dims is replaced by the combiner's
//                  identity or, where combining a value twice changes nothing, by
//                  the init value
//   windows        padding that windows of elements see is replaced by zeros or, in
//                  reduce_window, by the init value: what the op itself pads with
//   top_k          padding is replaced by the least of all values, which comes behind
//                  elements that are equal to it
//   slice, pad,    rows are cut off, spread, added, joined and moved back before the
//   concatenate,   padding as the sizes of pieces need it (PaddedLinks.h)
//   reverse
//   gather         indices are clamped to the elements
//   scatter        index vectors in the padding are replaced by -1, which scatter
//                  skips; what points behind the elements lands in the padding
//   others         the op itself
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_PADDEDOPS_H
#define PARTITA_PADDING_PADDEDOPS_H

#include "partita/Padding/DimLinks.h"
#include "partita/Padding/PaddingFills.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::padding {

/// A link whose ends have other sizes.
struct SizedLink {
  DimLink link;
  llvm::SmallVector<int64_t> sizes;
};

/// An op some of whose factors or links become longer.
struct PaddedOp {
  mlir::Operation *op;
  /// Of the op without padding.
  const Rule &rule;
  /// The size of each factor with padding.
  llvm::SmallVector<int64_t> sizes;
  /// With the sizes that the factors say.
  llvm::SmallVector<PaddedValue> operands;
  llvm::SmallVector<SizedLink, 2> links;

  /// What an operand or a result of shape `shape` becomes.
  llvm::SmallVector<int64_t> computeOperandShape(unsigned operand, llvm::ArrayRef<int64_t> shape) const;
  llvm::SmallVector<int64_t> computeResultShape(unsigned result, llvm::ArrayRef<int64_t> shape) const;
  bool isPadded(uint8_t factor) const { return sizes[factor] != rule.factors[factor].size; }
};

/// The sizes of a value with these dims and factors.
llvm::SmallVector<int64_t> computePaddedShape(llvm::ArrayRef<int64_t> shape, const Rule &rule,
                                              const ValueFactors &factors, llvm::ArrayRef<int64_t> sizes);

/// For each element of a value of this shape, whether its index along `dim` is less than `end`.
mlir::Value emitIsBefore(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> shape, unsigned dim,
                         int64_t end);

/// `value` with `fill`, a scalar of its element type, in the padding of `dims`.
mlir::Value emitMask(mlir::OpBuilder &builder, mlir::Location loc, const PaddedValue &value,
                     llvm::ArrayRef<unsigned> dims, mlir::Value fill);

/// Changes the op in place: its operands, sizes in its attributes and the types of its results. Returns the results and
/// counts masks in `numMasks`.
llvm::SmallVector<PaddedValue> padOp(PaddedOp padded, int64_t &numMasks);

} // namespace partita::padding

#endif
