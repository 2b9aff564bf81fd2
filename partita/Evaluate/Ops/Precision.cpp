//===- Precision.cpp - floats in a smaller format -------------------------===//
//
// reduce_precision rounds to a format of E exponent and M mantissa bits and
// keeps the type. The format has infinities but no subnormal numbers:
//
//   mantissa    rounded to M bits, to nearest even
//   too large   2^(2^(E-1)) and above: infinity
//   too small   below 2^(2 - 2^(E-1)): zero
//
// The source has the exponents and subnormal numbers of its own type. As in
// XLA, types of less than 16 bits count as f16.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"

#include <limits>

using namespace mlir;

namespace partita::evaluate {

namespace {

/// Rounds numbers of one type, given as double.
class PrecisionReducer {
public:
  PrecisionReducer(Type type, int exponentBits, int mantissaBits);
  double operator()(double value) const;

private:
  double roundMantissa(double magnitude) const;

  bool reducesMantissa;
  bool reducesExponent;
  int mantissaBits;
  /// Of the type's smallest normal number: subnormal ones have the mantissa's bits of its exponent.
  int minExponent;
  double bound;
  double smallest;
};

} // namespace

/// The type that the bits are counted in; f16 does not hold the exponents of f8E8M0FNU.
static FloatType getWideType(Type type) {
  if (isa<Float8E8M0FNUType>(type))
    return Float32Type::get(type.getContext());
  return type.getIntOrFloatBitWidth() < 16 ? FloatType(Float16Type::get(type.getContext())) : cast<FloatType>(type);
}

PrecisionReducer::PrecisionReducer(Type type, int exponentBits, int mantissaBits) : mantissaBits(mantissaBits) {
  FloatType wideType = getWideType(type);
  const llvm::fltSemantics &semantics = wideType.getFloatSemantics();
  int typeMantissaBits = static_cast<int>(APFloat::semanticsPrecision(semantics)) - 1;
  int typeExponentBits = static_cast<int>(wideType.getWidth()) - 1 - typeMantissaBits;
  minExponent = APFloat::semanticsMinExponent(semantics);
  reducesMantissa = mantissaBits < typeMantissaBits;
  reducesExponent = exponentBits < typeExponentBits;
  int bias = reducesExponent ? (1 << (exponentBits - 1)) - 1 : 0;
  bound = std::ldexp(1.0, bias + 1);
  smallest = std::ldexp(1.0, 1 - bias);
}

double PrecisionReducer::roundMantissa(double magnitude) const {
  if (magnitude == 0 || std::isinf(magnitude))
    return magnitude;
  int exponent = std::max(std::ilogb(magnitude), minExponent), unit = exponent - mantissaBits;
  // Without mantissa it is the exponent that is even: its bias is odd in all types.
  if (mantissaBits == 0 && magnitude == std::ldexp(1.5, exponent))
    return std::ldexp(exponent % 2 == 0 ? 2.0 : 1.0, exponent);
  return std::ldexp(std::nearbyint(std::ldexp(magnitude, -unit)), unit);
}

double PrecisionReducer::operator()(double value) const {
  if (std::isnan(value))
    return value;
  double magnitude = std::fabs(value);
  if (reducesMantissa)
    magnitude = roundMantissa(magnitude);
  if (reducesExponent && magnitude >= bound)
    magnitude = std::numeric_limits<double>::infinity();
  if (reducesExponent && magnitude < smallest)
    magnitude = 0;
  return std::copysign(magnitude, value);
}

static Status evaluateReducePrecision(stablehlo::ReducePrecisionOp op, Call &call) {
  RankedTensorType type = resultType(op);
  auto elementType = dyn_cast<FloatType>(type.getElementType());
  if (!elementType)
    return unsupportedElement(op, type.getElementType());
  int exponentBits = static_cast<int>(op.getExponentBits()), mantissaBits = static_cast<int>(op.getMantissaBits());
  PrecisionReducer reduce(elementType, exponentBits, mantissaBits);
  Tensor result = takeOperand(call, 0, type);
  if (result.getKind() == StorageKind::Ring) {
    uint64_t function = ringHash(ringFunction("reduce_precision"), exponentBits, mantissaBits);
    mapInPlace(result.edit<uint64_t>(), [=](uint64_t a) { return ringHash(function, a); });
  } else if (result.getKind() == StorageKind::Double) {
    mapInPlace(result.edit<double>(), reduce);
  } else {
    FloatRounder round(elementType);
    mapInPlace(result.edit<float>(), [&](float a) { return round(reduce(a)); });
  }
  call.results.push_back(std::move(result));
  return std::nullopt;
}

template <typename OpT> static Status refuse(OpT op, Call &) {
  return unsupportedElement(op, cast<RankedTensorType>(op->getOperand(0).getType()).getElementType());
}

void registerPrecision(OpTable &table) {
  table.add<stablehlo::ReducePrecisionOp, evaluateReducePrecision>();
  table.add<stablehlo::UniformQuantizeOp, refuse<stablehlo::UniformQuantizeOp>>();
  table.add<stablehlo::UniformDequantizeOp, refuse<stablehlo::UniformDequantizeOp>>();
}

} // namespace partita::evaluate
