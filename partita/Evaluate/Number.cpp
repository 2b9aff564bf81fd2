//===- Number.cpp - arithmetic on single elements -------------------------===//

#include "partita/Evaluate/Number.h"

#include "partita/Support/Hash.h"

#include <limits>

using namespace mlir;

namespace partita::evaluate {

unsigned getIntegerWidth(Type elementType) { return elementType.getIntOrFloatBitWidth(); }

FloatRounder::FloatRounder(Type elementType) : isF32(elementType.isF32()) {
  const llvm::fltSemantics &semantics = cast<FloatType>(elementType).getFloatSemantics();
  int precision = APFloat::semanticsPrecision(semantics), minExponent = APFloat::semanticsMinExponent(semantics);
  // f8E8M0FNU, a power of two in eight bits, has neither sign nor zero.
  hasSign = APFloat::semanticsHasSignedRepr(semantics);
  hasNegativeZero = hasSign && APFloat::getZero(semantics, /*Negative=*/true).isNegative();
  droppedBits = 53 - precision;
  smallestNormal = std::ldexp(1.0, minExponent);
  subnormalShifter = std::ldexp(1.0, minExponent - (precision - 1) + 52);
  largest = APFloat::getLargest(semantics).convertToDouble();
  bool hasNan = APFloat::semanticsHasNaN(semantics);
  // Types without -0 have their NaN in its place.
  keepsNanSign = hasNan && hasNegativeZero;
  nan = hasNan ? std::copysign(std::numeric_limits<double>::quiet_NaN(), hasSign ? -1.0 : 1.0) : -0.0;
  overflow = APFloat::semanticsHasInf(semantics) ? std::numeric_limits<double>::infinity() : hasNan ? nan : largest;
}

uint64_t ringHash(uint64_t function, uint64_t a, uint64_t b) { return mixHash(mixHash(mixHash(function) ^ a) + b); }

uint64_t ringFunction(StringRef name) {
  uint64_t hash = name.size();
  for (char c : name)
    hash = mixHash(hash ^ static_cast<unsigned char>(c));
  return hash;
}

uint64_t ringFromDouble(double value) {
  if (std::isinf(value))
    return value < 0 ? 0 : UINT64_MAX;
  // Integers up to 2^63 stand for themselves; all else for its bits.
  if (value == std::trunc(value) && std::fabs(value) < 9.2e18)
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  static const uint64_t constant = ringFunction("constant");
  return ringHash(constant, llvm::bit_cast<uint64_t>(value));
}

} // namespace partita::evaluate
