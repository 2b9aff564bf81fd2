//===- Comparison.h - whether two tensors are the same --------------------===//

#ifndef PARTITA_EVALUATE_COMPARISON_H
#define PARTITA_EVALUATE_COMPARISON_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"
#include "partita/Graph/Rule.h"

namespace partita::evaluate {

enum class Equality {
  /// The same bits.
  Bits,
  /// The same bits, but all NaNs are equal: what computes a NaN does not say which.
  Number,
  /// The same numbers: zeros of both signs are equal, and so are all NaNs.
  Value,
  /// The same numbers but for the rounding of a computation of some steps, measured by the largest number of the
  /// tensor.
  /// NaN and infinities are equal, but for infinities of two signs.
  Rounded,
};

struct ElementDifference {
  /// `[1, 0, 3]`
  std::string index;
  std::string expected;
  std::string got;
};

/// `[1, 0, 3]`, the element number `position` of a tensor.
std::string printIndex(llvm::ArrayRef<int64_t> shape, int64_t position);
/// The element as text, with all its digits.
std::string printElement(const Tensor &tensor, int64_t position);

/// The first element that differs; the tensors have the same type.
std::optional<ElementDifference> findDifference(const Tensor &expected, const Tensor &got, Equality equality);

/// accumulator[i] = combiner(accumulator[i], part[i]); the tensors have the same type. Without a combiner that the
/// elements have, the accumulator is left as it is.
void combine(graph::Combiner combiner, Tensor &accumulator, const Tensor &part);

} // namespace partita::evaluate

#endif
