//===- Complex.cpp - complex numbers and their parts ----------------------===//

#include "partita/Evaluate/Ops/Complex.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"

using namespace mlir;

namespace partita::evaluate {

Tensor makeComplex(const Tensor &real, const Tensor &imag, RankedTensorType type) {
  Tensor result(type, real.getMode());
  if (result.getKind() == StorageKind::RingComplex)
    mapTo<RingPair, uint64_t>(result, [](uint64_t a, uint64_t b) { return RingPair{a, b}; }, real, imag);
  else if (result.getKind() == StorageKind::Complex64)
    mapTo<std::complex<float>, float>(result, [](float a, float b) { return std::complex(a, b); }, real, imag);
  else
    mapTo<std::complex<double>, double>(result, [](double a, double b) { return std::complex(a, b); }, real, imag);
  return result;
}

static Status evaluateComplex(stablehlo::ComplexOp op, Call &call) {
  call.results.push_back(makeComplex(call.operands[0], call.operands[1], resultType(op)));
  return std::nullopt;
}

/// One part of complex numbers, as a tensor of `type`.
static Tensor getPart(const Tensor &operand, RankedTensorType type, bool isReal) {
  Tensor result(type, operand.getMode());
  if (operand.getKind() == StorageKind::RingComplex)
    mapTo<uint64_t, RingPair>(result, [=](RingPair a) { return isReal ? a.real : a.imag; }, operand);
  else if (operand.getKind() == StorageKind::Complex64)
    mapTo<float, std::complex<float>>(result, [=](auto a) { return isReal ? a.real() : a.imag(); }, operand);
  else
    mapTo<double, std::complex<double>>(result, [=](auto a) { return isReal ? a.real() : a.imag(); }, operand);
  return result;
}

/// 0, or what the type has for it.
static Tensor makeZeros(RankedTensorType type, Mode mode) {
  Tensor zeros(type, mode);
  if (zeros.getKind() == StorageKind::Float)
    llvm::fill(zeros.edit<float>(), FloatRounder(type.getElementType())(0));
  return zeros;
}

/// A real number is its own real part, and its imaginary part is 0.
template <typename OpT, bool isReal> static Status evaluatePart(OpT op, Call &call) {
  RankedTensorType type = resultType(op);
  if (isa<ComplexType>(call.operands[0].getElementType()))
    call.results.push_back(getPart(call.operands[0], type, isReal));
  else
    call.results.push_back(isReal ? takeOperand(call, 0, type) : makeZeros(type, call.mode));
  return std::nullopt;
}

namespace {

struct Conjugate {
  template <typename T> static T ofFloat(T a) { return a; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return std::conj(a); }
  static uint64_t ofRing(uint64_t a) { return a; }
  static RingPair ofRing(RingPair a) { return {a.real, -a.imag}; }
};

} // namespace

void registerComplex(OpTable &table) {
  table.add<stablehlo::ComplexOp, evaluateComplex>();
  table.add<stablehlo::RealOp, evaluatePart<stablehlo::RealOp, true>>();
  table.add<stablehlo::ImagOp, evaluatePart<stablehlo::ImagOp, false>>();
  addElementwise<chlo::ConjOp, Conjugate>(table);
}

} // namespace partita::evaluate
