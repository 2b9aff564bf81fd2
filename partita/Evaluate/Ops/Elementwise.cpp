//===- Elementwise.cpp - arithmetic, comparison, selection ----------------===//
//
// Exact functions: their results are bit for bit XLA's. Transcendental ones are
// in Math.cpp.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Ops/Elementwise.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;

namespace partita::evaluate {

namespace {

//===----------------------------------------------------------------------===//
// Arithmetic: one struct per op, one function per kind of element
//===----------------------------------------------------------------------===//

struct Add {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a | b; }
  static int64_t ofSigned(int64_t a, int64_t b, unsigned) {
    return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
  }
  static uint64_t ofUnsigned(uint64_t a, uint64_t b, unsigned) { return a + b; }
  template <typename T> static T ofFloat(T a, T b) { return a + b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a + b; }
  static RingPair ofRing(RingPair a, RingPair b) { return {a.real + b.real, a.imag + b.imag}; }
};

struct Subtract {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a ^ b; }
  static int64_t ofSigned(int64_t a, int64_t b, unsigned) {
    return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  }
  static uint64_t ofUnsigned(uint64_t a, uint64_t b, unsigned) { return a - b; }
  template <typename T> static T ofFloat(T a, T b) { return a - b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a - b; }
  static RingPair ofRing(RingPair a, RingPair b) { return {a.real - b.real, a.imag - b.imag}; }
};

struct Multiply {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a & b; }
  static int64_t ofSigned(int64_t a, int64_t b, unsigned) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  }
  static uint64_t ofUnsigned(uint64_t a, uint64_t b, unsigned) { return a * b; }
  template <typename T> static T ofFloat(T a, T b) { return a * b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a * b; }
  static RingPair ofRing(RingPair a, RingPair b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
};

/// a/b in the ring is a times a hash of b: linear in a, as division is.
uint64_t ringInverse(uint64_t b) {
  static const uint64_t inverse = ringFunction("inverse");
  return b == 1 ? 1 : ringHash(inverse, b);
}

struct Divide {
  /// XLA: x/0 is all ones, the smallest value / -1 is itself.
  static int64_t ofSigned(int64_t a, int64_t b, unsigned width) {
    if (b == 0)
      return -1;
    return b == -1 ? wrapSigned(-static_cast<uint64_t>(a), width) : a / b;
  }
  static uint64_t ofUnsigned(uint64_t a, uint64_t b, unsigned) { return b == 0 ? UINT64_MAX : a / b; }
  template <typename T> static T ofFloat(T a, T b) { return a / b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a * ringInverse(b); }
  static RingPair ofRing(RingPair a, RingPair b) {
    uint64_t inverse = ringInverse(ringHash(1, b.real, b.imag));
    return {a.real * inverse, a.imag * inverse};
  }
};

} // namespace

/// Evaluates a binary arithmetic op whose per-element functions are in `F`.
template <typename F>
static Tensor evaluateArithmetic(RankedTensorType type, Mode mode, const Tensor &a, const Tensor &b) {
  Tensor result(type, mode);
  unsigned width = isa<IntegerType>(type.getElementType()) ? getIntegerWidth(type.getElementType()) : 0;
  switch (a.getKind()) {
  case StorageKind::Bool:
    if constexpr (requires { F::ofBool(uint8_t(), uint8_t()); })
      zipInto<uint8_t, uint8_t>(result, a, b, F::ofBool);
    break;
  case StorageKind::Signed:
    zipInto<int64_t, int64_t>(result, a, b,
                              [&](int64_t x, int64_t y) { return wrapSigned(F::ofSigned(x, y, width), width); });
    break;
  case StorageKind::Unsigned:
    zipInto<uint64_t, uint64_t>(
        result, a, b, [&](uint64_t x, uint64_t y) { return wrapUnsigned(F::ofUnsigned(x, y, width), width); });
    break;
  case StorageKind::Float:
    if (type.getElementType().isF32())
      zipInto<float, float>(result, a, b, [](float x, float y) { return F::ofFloat(x, y); });
    else
      zipRounded(result, a, b, [](double x, double y) { return F::ofFloat(x, y); });
    break;
  case StorageKind::Double:
    zipInto<double, double>(result, a, b, [](double x, double y) { return F::ofFloat(x, y); });
    break;
  case StorageKind::Complex64:
    zipInto<std::complex<float>, std::complex<float>>(result, a, b, [](auto x, auto y) { return F::ofFloat(x, y); });
    break;
  case StorageKind::Complex128:
    zipInto<std::complex<double>, std::complex<double>>(result, a, b, [](auto x, auto y) { return F::ofFloat(x, y); });
    break;
  case StorageKind::Ring:
    zipInto<uint64_t, uint64_t>(result, a, b, [](uint64_t x, uint64_t y) { return F::ofRing(x, y); });
    break;
  case StorageKind::RingComplex:
    zipInto<RingPair, RingPair>(result, a, b, [](RingPair x, RingPair y) { return F::ofRing(x, y); });
    break;
  }
  return result;
}

template <typename OpT, typename F> static Status evaluateBinary(OpT op, Call &call) {
  call.results.push_back(evaluateArithmetic<F>(resultType(op), call.mode, call.operands[0], call.operands[1]));
  return std::nullopt;
}

void registerElementwise(OpTable &table) {
  table.add<stablehlo::AddOp, evaluateBinary<stablehlo::AddOp, Add>>();
  table.add<stablehlo::SubtractOp, evaluateBinary<stablehlo::SubtractOp, Subtract>>();
  table.add<stablehlo::MulOp, evaluateBinary<stablehlo::MulOp, Multiply>>();
  table.add<stablehlo::DivOp, evaluateBinary<stablehlo::DivOp, Divide>>();
}

} // namespace partita::evaluate
