//===- Elementwise.cpp - exact arithmetic ---------------------------------===//
//
// Exact functions: their results equal XLA's bit for bit. Math.cpp has
// transcendental functions, Bits.cpp those of bits, Choice.cpp comparisons and
// choices.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Arithmetic.h"
#include "partita/Evaluate/Ops/ComplexMath.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::evaluate {

Error unsupportedElement(Operation *op, Type elementType) {
  std::string text;
  llvm::raw_string_ostream(text) << "the evaluator does not compute " << op->getName() << " on " << elementType;
  return Error::unsupported(locationOf(op), text);
}

bool isEvaluable(Type elementType) { return isa<IntegerType, FloatType, ComplexType>(elementType); }

Tensor takeOperand(Call &call, unsigned index, RankedTensorType type) {
  Tensor operand = std::move(call.operands[index]);
  if (operand.getType() != type)
    operand = operand.withType(type);
  return operand;
}

namespace {

struct Negate {
  template <typename T> static T ofInteger(T a, unsigned) { return -static_cast<uint64_t>(a); }
  template <typename T> static T ofFloat(T a) { return -a; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return -a; }
  static uint64_t ofRing(uint64_t a) { return -a; }
  static RingPair ofRing(RingPair a) { return {-a.real, -a.imag}; }
};

/// The smallest integer is its own absolute value. Complex numbers: `evaluateAbs`.
struct Abs {
  static constexpr StringLiteral name = "abs";
  static int64_t ofInteger(int64_t a, unsigned) { return a < 0 ? -static_cast<uint64_t>(a) : a; }
  static uint64_t ofInteger(uint64_t a, unsigned) { return a; }
  template <typename T> static T ofFloat(T a) { return std::fabs(a); }
};

/// Zeros and NaN are their own sign.
struct Sign {
  static constexpr StringLiteral name = "sign";
  static int64_t ofInteger(int64_t a, unsigned) { return (a > 0) - (a < 0); }
  template <typename T> static T ofFloat(T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) {
    T magnitude = absComplex(a);
    return magnitude == 0 ? std::complex<T>() : a / magnitude;
  }
};

struct Floor {
  static constexpr StringLiteral name = "floor";
  template <typename T> static T ofFloat(T a) { return std::floor(a); }
};

struct Ceil {
  static constexpr StringLiteral name = "ceil";
  template <typename T> static T ofFloat(T a) { return std::ceil(a); }
};

struct RoundAwayFromZero {
  static constexpr StringLiteral name = "round_nearest_afz";
  template <typename T> static T ofFloat(T a) { return std::round(a); }
};

/// The rounding mode is never changed: to nearest, ties to even.
struct RoundToEven {
  static constexpr StringLiteral name = "round_nearest_even";
  template <typename T> static T ofFloat(T a) { return std::nearbyint(a); }
};

struct Square {
  template <typename T> static T ofFloat(T a) { return a * a; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::square(a); }
  static uint64_t ofRing(uint64_t a) { return a * a; }
  static RingPair ofRing(RingPair a) { return Multiply::ofRing(a, a); }
};

} // namespace

/// Of complex numbers the result is real.
static Status evaluateAbs(stablehlo::AbsOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  if (!isa<ComplexType>(operand.getElementType()))
    return evaluateElementwise<stablehlo::AbsOp, Abs>(op, call);
  Tensor result(resultType(op), call.mode);
  if (operand.getKind() == StorageKind::RingComplex)
    mapTo<uint64_t, RingPair>(
        result, [f = ringFunction(Abs::name)](RingPair a) { return hashRing(f, foldRing(a)); }, operand);
  else if (operand.getKind() == StorageKind::Complex64)
    mapTo<float, std::complex<float>>(result, absComplex<float>, operand);
  else
    mapTo<double, std::complex<double>>(result, absComplex<double>, operand);
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerElementwise(OpTable &table) {
  addElementwise<stablehlo::AddOp, Add>(table);
  addElementwise<stablehlo::SubtractOp, Subtract>(table);
  addElementwise<stablehlo::MulOp, Multiply>(table);
  addElementwise<stablehlo::DivOp, Divide>(table);
  addElementwise<stablehlo::RemOp, Remainder>(table);
  addElementwise<stablehlo::MaxOp, Maximum>(table);
  addElementwise<stablehlo::MinOp, Minimum>(table);
  addElementwise<stablehlo::NegOp, Negate>(table);
  addElementwise<stablehlo::SignOp, Sign>(table);
  addElementwise<stablehlo::FloorOp, Floor>(table);
  addElementwise<stablehlo::CeilOp, Ceil>(table);
  addElementwise<stablehlo::RoundOp, RoundAwayFromZero>(table);
  addElementwise<stablehlo::RoundNearestEvenOp, RoundToEven>(table);
  addElementwise<chlo::SquareOp, Square>(table);
  table.add<stablehlo::AbsOp, evaluateAbs>();
}

} // namespace partita::evaluate
