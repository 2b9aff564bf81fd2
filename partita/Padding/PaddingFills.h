//===- PaddingFills.h - what is known of the padding ----------------------===//
//
// Nothing that the program returns depends on padding, so ops may leave anything
// there. Where something is known, fewer masks are needed: a product needs none
// if the padding of one operand is zero and that of the other is finite. What is
// said here holds in exact mode, too, where tanh(0) and |0| are any numbers.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_PADDINGFILLS_H
#define PARTITA_PADDING_PADDINGFILLS_H

#include "partita/Graph/Rule.h"
#include "partita/Padding/Rooms.h"

#include "mlir/IR/Value.h"

namespace partita::padding {

/// What all elements behind the end of a dim are, whatever their other indices; each includes those before it.
enum class Fill : uint8_t {
  /// 0 or -0, false.
  Zero,
  /// No infinity and no NaN.
  Finite,
  Any,
};

/// A value whose dims may be longer than the program's.
struct PaddedValue {
  mlir::Value value;
  /// The sizes without padding.
  llvm::SmallVector<int64_t> shape;
  /// For each dim; of no meaning for dims without padding.
  llvm::SmallVector<Fill> fills;
};

/// What every element of `value` is.
Fill findFill(mlir::Value value);

/// What result number `result` of `op` has behind the end of a padded parallel factor. `rule` is that of the op without
/// padding.
Fill computeFill(mlir::Operation *op, const Rule &rule, unsigned result, uint8_t factor,
                 llvm::ArrayRef<PaddedValue> operands);

} // namespace partita::padding

#endif
