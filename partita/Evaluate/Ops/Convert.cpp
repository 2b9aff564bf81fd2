//===- Convert.cpp - conversion between element types ---------------------===//
//
// A float becomes an integer by truncation and clamping to the integer's range;
// NaN becomes 0. Other conversions round once, to nearest even; as in XLA,
// those to bf16 go through f32. Integers wrap. A complex number loses its
// imaginary part. In exact mode, conversion between floats does nothing and
// integers are themselves mod 2^64.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"

#include <type_traits>

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// Of one element
//===----------------------------------------------------------------------===//

/// The number that is converted: of complex ones the real part.
template <typename T> static T getReal(T value) { return value; }
template <typename T> static T getReal(std::complex<T> value) { return value.real(); }
static uint64_t getReal(RingPair value) { return value.real; }

/// Into the range of an integer type, whose bounds are exact or, above, a power of two.
static int64_t truncateToSigned(double value, unsigned width) {
  double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
  auto largest = static_cast<int64_t>(wrapUnsigned(UINT64_MAX, width) >> 1);
  if (std::isnan(value))
    return 0;
  if (value >= bound)
    return largest;
  return value <= -bound ? -largest - 1 : static_cast<int64_t>(value);
}
static uint64_t truncateToUnsigned(double value, unsigned width) {
  double bound = std::ldexp(1.0, static_cast<int>(width));
  if (!(value > 0))
    return 0;
  return value >= bound ? wrapUnsigned(UINT64_MAX, width) : static_cast<uint64_t>(value);
}

namespace {

/// What a function of one element needs to know of the result's type.
struct ConvertTarget {
  explicit ConvertTarget(Type elementType)
      : width(isa<IntegerType>(elementType) ? getIntegerWidth(elementType) : 0), isBfloat(elementType.isBF16()),
        round(isa<FloatType>(elementType) && !elementType.isF64()
                  ? FloatRounder(elementType)
                  : FloatRounder(Float32Type::get(elementType.getContext()))) {}

  template <typename From> void store(uint8_t &out, From value) const { out = value != From(0); }
  template <typename From> void store(int64_t &out, From value) const {
    if constexpr (std::is_floating_point_v<From>)
      out = truncateToSigned(value, width);
    else
      out = wrapSigned(static_cast<int64_t>(value), width);
  }
  template <typename From> void store(uint64_t &out, From value) const {
    if constexpr (std::is_floating_point_v<From>)
      out = truncateToUnsigned(value, width);
    else
      out = width == 0 ? static_cast<uint64_t>(value) : wrapUnsigned(static_cast<uint64_t>(value), width);
  }
  template <typename From> void store(float &out, From value) const {
    if (round.isExactFloat())
      out = static_cast<float>(value);
    else
      out = round(isBfloat ? static_cast<float>(value) : static_cast<double>(value));
  }
  template <typename From> void store(double &out, From value) const { out = static_cast<double>(value); }
  template <typename T, typename From> void store(std::complex<T> &out, From value) const {
    out = static_cast<T>(value);
  }
  template <typename From> void store(RingPair &out, From value) const { out = {static_cast<uint64_t>(value), 0}; }

  unsigned width;
  bool isBfloat;
  FloatRounder round;
};

} // namespace

//===----------------------------------------------------------------------===//
// Of tensors
//===----------------------------------------------------------------------===//

template <typename To, typename From>
static void convertAll(MutableArrayRef<To> out, ArrayRef<From> in, const ConvertTarget &target) {
  constexpr bool keepsImaginary = (std::is_same_v<To, RingPair> || requires(To value) { value.imag(); }) &&
                                  (std::is_same_v<From, RingPair> || requires(From value) { value.imag(); });
  for (size_t i = 0, e = out.size(); i < e; ++i) {
    if constexpr (keepsImaginary && std::is_constructible_v<To, From>)
      out[i] = static_cast<To>(in[i]);
    else
      target.store(out[i], getReal(in[i]));
  }
}

static Status evaluateConvert(stablehlo::ConvertOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  RankedTensorType type = resultType(op);
  bool staysInRing = operand.getKind() == getStorageKind(type.getElementType(), call.mode) &&
                     (operand.getKind() == StorageKind::Ring || operand.getKind() == StorageKind::RingComplex);
  if (type.getElementType() == operand.getElementType() || staysInRing) {
    call.results.push_back(takeOperand(call, 0, type));
    return std::nullopt;
  }
  Tensor result(type, call.mode);
  ConvertTarget target(type.getElementType());
  visitKind(result.getKind(), [&]<typename To>(To *) {
    visitKind(operand.getKind(),
              [&]<typename From>(From *) { convertAll<To, From>(result.edit<To>(), operand.get<From>(), target); });
  });
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerConvert(OpTable &table) { table.add<stablehlo::ConvertOp, evaluateConvert>(); }

} // namespace partita::evaluate
