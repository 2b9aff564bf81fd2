//===- Math.cpp - transcendental functions --------------------------------===//
//
// Computed in double and rounded to the type, but for the few that the C library
// rounds almost correctly in float. XLA's own polynomials differ from these by
// some units in the last place; test/Evaluate states how many.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Ops/MathFunctions.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

struct Exponential {
  static constexpr StringLiteral name = "exponential";
  template <typename T> static T ofFloat(T a) { return std::exp(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::exp(a); }
};

struct ExponentialMinusOne {
  static constexpr StringLiteral name = "exponential_minus_one";
  static double ofFloat(double a) { return std::expm1(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::expm1(a); }
};

struct Log {
  static constexpr StringLiteral name = "log";
  template <typename T> static T ofFloat(T a) { return std::log(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::log(a); }
};

struct LogPlusOne {
  static constexpr StringLiteral name = "log_plus_one";
  static double ofFloat(double a) { return std::log1p(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::log1p(a); }
};

struct Logistic {
  static constexpr StringLiteral name = "logistic";
  static double ofFloat(double a) { return 1 / (1 + std::exp(-a)); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::logistic(a); }
};

struct Sqrt {
  static constexpr StringLiteral name = "sqrt";
  template <typename T> static T ofFloat(T a) { return std::sqrt(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::sqrt(a); }
};

struct Rsqrt {
  static constexpr StringLiteral name = "rsqrt";
  static double ofFloat(double a) { return 1 / std::sqrt(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::rsqrt(a); }
};

struct Cbrt {
  static constexpr StringLiteral name = "cbrt";
  static double ofFloat(double a) { return std::cbrt(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::cbrt(a); }
};

struct Sine {
  static constexpr StringLiteral name = "sine";
  template <typename T> static T ofFloat(T a) { return std::sin(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::sin(a); }
};

struct Cosine {
  static constexpr StringLiteral name = "cosine";
  template <typename T> static T ofFloat(T a) { return std::cos(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::cos(a); }
};

struct Tan {
  static constexpr StringLiteral name = "tan";
  static double ofFloat(double a) { return std::tan(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::tan(a); }
};

struct Tanh {
  static constexpr StringLiteral name = "tanh";
  static double ofFloat(double a) { return std::tanh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::tanh(a); }
};

struct Asin {
  static constexpr StringLiteral name = "asin";
  static double ofFloat(double a) { return std::asin(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::asin(a); }
};

struct Acos {
  static constexpr StringLiteral name = "acos";
  static double ofFloat(double a) { return std::acos(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::acos(a); }
};

struct Atan {
  static constexpr StringLiteral name = "atan";
  static double ofFloat(double a) { return std::atan(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::atan(a); }
};

struct Sinh {
  static constexpr StringLiteral name = "sinh";
  static double ofFloat(double a) { return std::sinh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::sinh(a); }
};

struct Cosh {
  static constexpr StringLiteral name = "cosh";
  static double ofFloat(double a) { return std::cosh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::cosh(a); }
};

struct Asinh {
  static constexpr StringLiteral name = "asinh";
  static double ofFloat(double a) { return std::asinh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::asinh(a); }
};

struct Acosh {
  static constexpr StringLiteral name = "acosh";
  static double ofFloat(double a) { return std::acosh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::acosh(a); }
};

struct Atanh {
  static constexpr StringLiteral name = "atanh";
  static double ofFloat(double a) { return std::atanh(a); }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return ComplexMath<T>::atanh(a); }
};

struct AsinAcosKernel {
  static constexpr StringLiteral name = "_asin_acos_kernel";
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a) {
    return ComplexMath<T>::asinAcosKernel(a);
  }
};

} // namespace

void registerMath(OpTable &table) {
  addElementwise<stablehlo::ExpOp, Exponential>(table);
  addElementwise<stablehlo::Expm1Op, ExponentialMinusOne>(table);
  addElementwise<stablehlo::LogOp, Log>(table);
  addElementwise<stablehlo::Log1pOp, LogPlusOne>(table);
  addElementwise<stablehlo::LogisticOp, Logistic>(table);
  addElementwise<stablehlo::SqrtOp, Sqrt>(table);
  addElementwise<stablehlo::RsqrtOp, Rsqrt>(table);
  addElementwise<stablehlo::CbrtOp, Cbrt>(table);
  addElementwise<stablehlo::SineOp, Sine>(table);
  addElementwise<stablehlo::CosineOp, Cosine>(table);
  addElementwise<stablehlo::TanOp, Tan>(table);
  addElementwise<stablehlo::TanhOp, Tanh>(table);
  addElementwise<stablehlo::PowOp, Power>(table);
  addElementwise<stablehlo::Atan2Op, Atan2>(table);
  addElementwise<chlo::TanOp, Tan>(table);
  addElementwise<chlo::AsinOp, Asin>(table);
  addElementwise<chlo::AcosOp, Acos>(table);
  addElementwise<chlo::AtanOp, Atan>(table);
  addElementwise<chlo::SinhOp, Sinh>(table);
  addElementwise<chlo::CoshOp, Cosh>(table);
  addElementwise<chlo::AsinhOp, Asinh>(table);
  addElementwise<chlo::AcoshOp, Acosh>(table);
  addElementwise<chlo::AtanhOp, Atanh>(table);
  addElementwise<chlo::AsinAcosKernelOp, AsinAcosKernel>(table);
}

} // namespace partita::evaluate
