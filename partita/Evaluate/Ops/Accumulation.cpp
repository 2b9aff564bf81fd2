//===- Accumulation.cpp - accumulator types of contractions ---------------===//

#include "partita/Evaluate/Ops/Accumulation.h"

#include "partita/Evaluate/Number.h"

using namespace mlir;

namespace partita::evaluate {

/// Kinds from narrow to wide; wider ones hold what narrower ones of the same family do.
static int getWidth(StorageKind kind) {
  switch (kind) {
  case StorageKind::Bool:
    return 0;
  case StorageKind::Signed:
  case StorageKind::Unsigned:
    return 1;
  case StorageKind::Float:
    return 2;
  case StorageKind::Double:
    return 3;
  case StorageKind::Complex64:
    return 4;
  case StorageKind::Complex128:
    return 5;
  case StorageKind::Ring:
    return 6;
  case StorageKind::RingComplex:
    return 7;
  }
  llvm_unreachable("unknown storage kind");
}

StorageKind getAccumulatorKind(const Tensor &lhs, const Tensor &rhs, Type resultElement) {
  StorageKind widest = getStorageKind(resultElement, lhs.getMode());
  for (StorageKind kind : {lhs.getKind(), rhs.getKind()})
    if (getWidth(kind) > getWidth(widest))
      widest = kind;
  return widest;
}

/// One element in another of the types above. Integers convert to ring elements mod 2^64.
template <typename To, typename From> static To convertElement(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (std::is_same_v<To, RingPair> && std::is_integral_v<From>)
    return {static_cast<uint64_t>(value), 0};
  else if constexpr (std::is_arithmetic_v<To> && std::is_arithmetic_v<From>)
    return static_cast<To>(value);
  else if constexpr (requires { To(value.real(), value.imag()); })
    return To(value.real(), value.imag());
  else if constexpr (requires { To(static_cast<To::value_type>(value)); })
    return To(static_cast<To::value_type>(value));
  else
    llvm_unreachable("accumulators hold what their operands do");
}

template <typename T, typename From> static std::vector<T> copyElements(const Tensor &tensor, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> shape, fromStrides, strides = computeStrides(tensor.getShape());
  for (int64_t dim : dims) {
    shape.push_back(tensor.getDim(dim));
    fromStrides.push_back(strides[dim]);
  }
  std::vector<T> copies(tensor.size());
  const From *from = tensor.get<From>().data();
  BoxPair(shape, computeStrides(shape), fromStrides).visitRuns(0, 0, [&](const BoxPair::Run &run) {
    for (int64_t i = 0; i < run.size; ++i)
      copies[run.to + i * run.toStride] = convertElement<T>(from[run.from + i * run.fromStride]);
  });
  return copies;
}

template <typename T> PackedElements<T>::PackedElements(const Tensor &tensor, ArrayRef<int64_t> dims) : source(tensor) {
  visitKind(tensor.getKind(), [&]<typename From>(From *) {
    // Signed integers are taken as the unsigned ones of the same bits.
    if constexpr (std::is_same_v<T, From> || (std::is_same_v<T, uint64_t> && std::is_same_v<From, int64_t>))
      if (llvm::is_sorted(dims)) {
        elements = reinterpret_cast<const T *>(tensor.get<From>().data());
        return;
      }
    copies = copyElements<T, From>(tensor, dims);
    elements = copies.data();
  });
}

template <typename T> Tensor unpackElements(ArrayRef<T> elements, RankedTensorType type, Mode mode) {
  Tensor result(type, mode);
  auto assign = [&]<typename To>(To *, auto finish) {
    for (auto [to, from] : llvm::zip_equal(result.edit<To>(), elements))
      to = finish(from);
  };
  Type element = type.getElementType();
  switch (result.getKind()) {
  case StorageKind::Signed:
    assign(static_cast<int64_t *>(nullptr),
           [width = getIntegerWidth(element)](T value) { return wrapSigned(convertElement<int64_t>(value), width); });
    break;
  case StorageKind::Unsigned:
    assign(static_cast<uint64_t *>(nullptr), [width = getIntegerWidth(element)](T value) {
      return wrapUnsigned(convertElement<uint64_t>(value), width);
    });
    break;
  case StorageKind::Float:
    assign(static_cast<float *>(nullptr),
           [round = FloatRounder(element)](T value) { return round(convertElement<double>(value)); });
    break;
  default:
    visitKind(result.getKind(),
              [&]<typename To>(To *kind) { assign(kind, [](T value) { return convertElement<To>(value); }); });
  }
  return result;
}

#define PARTITA_ACCUMULATOR(T)                                                                                         \
  template class PackedElements<T>;                                                                                    \
  template Tensor unpackElements<T>(ArrayRef<T>, RankedTensorType, Mode);
PARTITA_ACCUMULATOR(uint8_t)
PARTITA_ACCUMULATOR(uint64_t)
PARTITA_ACCUMULATOR(float)
PARTITA_ACCUMULATOR(double)
PARTITA_ACCUMULATOR(std::complex<float>)
PARTITA_ACCUMULATOR(std::complex<double>)
PARTITA_ACCUMULATOR(RingPair)
#undef PARTITA_ACCUMULATOR

} // namespace partita::evaluate
