//===- Accumulation.h - accumulator types of contractions -----------------===//
//
// Sums of products are accumulated in the widest type of operands and result,
// narrow floats in f32. The sum is converted to the result's type at the end:
//
//   accumulator of   f4 ... f8, f16, bf16, f32   float
//                    f64                         double
//                    complex                     the same
//                    integers                    uint64_t, mod 2^64
//                    i1                          uint8_t, "or" of "and"s
//                    exact mode                  uint64_t, RingPair
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_ACCUMULATION_H
#define PARTITA_EVALUATE_OPS_ACCUMULATION_H

#include "partita/Evaluate/Ops/Strided.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// How sums for a result of `resultElement` are accumulated.
StorageKind getAccumulatorKind(const Tensor &lhs, const Tensor &rhs, mlir::Type resultElement);

/// Calls `work` with a null pointer of the accumulators' C++ type.
template <typename Work> decltype(auto) visitAccumulator(StorageKind kind, Work work) {
  return visitKind(kind, [&]<typename T>(T *pointer) {
    if constexpr (std::is_same_v<T, int64_t>)
      return work(static_cast<uint64_t *>(nullptr));
    else
      return work(pointer);
  });
}

/// A tensor's elements as accumulators, with dims in the order `dims`, which names each dim once. Copied only if type
/// or order differ.
template <typename T> class PackedElements {
public:
  PackedElements(const Tensor &tensor, llvm::ArrayRef<int64_t> dims);
  const T *data() const { return elements; }

private:
  Tensor source;
  std::vector<T> copies;
  const T *elements;
};

/// Accumulators, in row-major order, as a tensor of `type`.
template <typename T> Tensor unpackElements(llvm::ArrayRef<T> elements, mlir::RankedTensorType type, Mode mode);

} // namespace partita::evaluate

#endif
