//===- Scalars.h - reducer regions as combiners ---------------------------===//
//
// Reducers, comparators and maps are regions on scalars. A RegionRunner can run
// any of them. Most are a single op; these functions recognize such regions and
// evaluate them without the runner:
//
//   std::optional<ScalarCombiner> combiner = recognizeCombiner(region);
//   visitCombiner(*combiner, type, mode, [&]<typename T>(T *, auto combine) {
//     accumulator = combine(accumulator, element);
//   });
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_SCALARS_H
#define PARTITA_EVALUATE_SCALARS_H

#include "partita/Evaluate/Arithmetic.h"
#include "partita/Evaluate/Number.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

#include <cmath>
#include <optional>
#include <type_traits>

namespace partita::evaluate {

/// One element as a tensor of rank 0.
Tensor getScalar(const Tensor &tensor, int64_t index);
void setScalar(Tensor &tensor, int64_t index, const Tensor &scalar);

/// The tensor with elements of a wider type of the same kind (f16 to f32, i8 to i32). Unchanged if it already has that
/// type.
Tensor promote(const Tensor &tensor, mlir::Type elementType);

enum class ScalarCombiner { Add, Multiply, Maximum, Minimum, And, Or, Xor };

/// The combiner of a region of two arguments that is a single commutative op.
std::optional<ScalarCombiner> recognizeCombiner(mlir::Region &region);
/// The combiner that a binary op computes, if any.
std::optional<ScalarCombiner> recognizeOp(mlir::Operation *op);

/// accumulator[i] = reducer(accumulator[i], element[i]) for all i and all values of a reducer; accumulators and
/// elements are of the reducer's element types.
Status combineInto(llvm::MutableArrayRef<Tensor> accumulators, llvm::ArrayRef<Tensor> elements, mlir::Region &reducer,
                   RegionRunner &regions);

//===----------------------------------------------------------------------===//
// Combiners as functions
//===----------------------------------------------------------------------===//

/// IEEE-754 maximum and minimum: NaN if either is one, and +0 above -0.
template <typename T> T maximumOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}
template <typename T> T minimumOf(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::isnan(a) ? a : b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

/// Calls `work(nullptr of T, combine)` with `combine(T, T) -> T`, exactly what the op does to elements of `type`.
template <typename T, typename Work> void visitArithmetic(ScalarCombiner combiner, Work work) {
  switch (combiner) {
  case ScalarCombiner::Add:
    return work([](T a, T b) -> T { return a + b; });
  case ScalarCombiner::Multiply:
    return work([](T a, T b) -> T { return a * b; });
  case ScalarCombiner::Maximum:
    return work([](T a, T b) -> T { return maximumOf(a, b); });
  case ScalarCombiner::Minimum:
    return work([](T a, T b) -> T { return minimumOf(a, b); });
  default:
    break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (combiner == ScalarCombiner::And)
      return work([](T a, T b) -> T { return a & b; });
    if (combiner == ScalarCombiner::Or)
      return work([](T a, T b) -> T { return a | b; });
    if (combiner == ScalarCombiner::Xor)
      return work([](T a, T b) -> T { return a ^ b; });
  }
}

/// The same for numbers without an order, which have only sums and products.
template <typename T, typename Work> void visitComplexArithmetic(ScalarCombiner combiner, Work work) {
  if (combiner == ScalarCombiner::Add)
    return work([](T a, T b) -> T { return Add::ofComplex(a, b); });
  if (combiner == ScalarCombiner::Multiply)
    return work([](T a, T b) -> T { return Multiply::ofComplex(a, b); });
}

inline ScalarCombiner getBoolCombiner(ScalarCombiner combiner) {
  switch (combiner) {
  case ScalarCombiner::Add:
  case ScalarCombiner::Maximum:
    return ScalarCombiner::Or;
  case ScalarCombiner::Multiply:
  case ScalarCombiner::Minimum:
    return ScalarCombiner::And;
  default:
    return combiner;
  }
}

/// Calls `work(T *, combine)`, T being the storage's type and `combine(T, T) -> T` what the op does to its elements.
/// Integers wrap, narrow floats are rounded.
template <typename Work> void visitCombiner(ScalarCombiner combiner, mlir::Type type, Mode mode, Work work) {
  switch (getStorageKind(type, mode)) {
  case StorageKind::Bool:
    return visitArithmetic<uint8_t>(getBoolCombiner(combiner),
                                    [&](auto combine) { work(static_cast<uint8_t *>(nullptr), combine); });
  case StorageKind::Signed:
    // Unsigned arithmetic wraps without being undefined; the order is the signed one.
    if (combiner == ScalarCombiner::Add || combiner == ScalarCombiner::Multiply)
      return visitArithmetic<uint64_t>(combiner, [&, width = getIntegerWidth(type)](auto combine) {
        work(static_cast<int64_t *>(nullptr), [=](int64_t a, int64_t b) { return wrapSigned(combine(a, b), width); });
      });
    return visitArithmetic<int64_t>(combiner, [&](auto combine) { work(static_cast<int64_t *>(nullptr), combine); });
  case StorageKind::Unsigned:
    return visitArithmetic<uint64_t>(combiner, [&, width = getIntegerWidth(type)](auto combine) {
      work(static_cast<uint64_t *>(nullptr),
           [=](uint64_t a, uint64_t b) { return wrapUnsigned(combine(a, b), width); });
    });
  case StorageKind::Float:
    if (type.isF32())
      return visitArithmetic<float>(combiner, [&](auto combine) { work(static_cast<float *>(nullptr), combine); });
    // A sum or product of two narrow floats is rounded once: in double it is exact, or precise enough.
    return visitArithmetic<double>(combiner, [&, round = FloatRounder(type)](auto combine) {
      work(static_cast<float *>(nullptr), [&](float a, float b) { return round(combine(a, b)); });
    });
  case StorageKind::Double:
    return visitArithmetic<double>(combiner, [&](auto combine) { work(static_cast<double *>(nullptr), combine); });
  case StorageKind::Complex64:
    return visitComplexArithmetic<std::complex<float>>(
        combiner, [&](auto combine) { work(static_cast<std::complex<float> *>(nullptr), combine); });
  case StorageKind::Complex128:
    return visitComplexArithmetic<std::complex<double>>(
        combiner, [&](auto combine) { work(static_cast<std::complex<double> *>(nullptr), combine); });
  case StorageKind::Ring:
    return visitArithmetic<uint64_t>(combiner, [&](auto combine) { work(static_cast<uint64_t *>(nullptr), combine); });
  case StorageKind::RingComplex:
    if (combiner == ScalarCombiner::Add)
      return work(static_cast<RingPair *>(nullptr), [](RingPair a, RingPair b) { return Add::ofRing(a, b); });
    return work(static_cast<RingPair *>(nullptr), [](RingPair a, RingPair b) { return Multiply::ofRing(a, b); });
  }
}

} // namespace partita::evaluate

#endif
