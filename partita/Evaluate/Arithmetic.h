//===- Arithmetic.h - arithmetic on two elements --------------------------===//
//
// Each struct is one function with a member for each kind of element, as
// Elementwise.h explains. The ops of stablehlo and the broadcasting ops of chlo
// share them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_ARITHMETIC_H
#define PARTITA_EVALUATE_ARITHMETIC_H

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Rooms.h"

#include <limits>

namespace partita::evaluate {

/// Computed as the larger part times a factor of at most sqrt(2), which avoids needless overflow. NaN if a part is NaN.
template <typename T> T absComplex(std::complex<T> z) {
  T x = std::fabs(z.real()), y = std::fabs(z.imag());
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  T larger = std::max(x, y), smaller = std::min(x, y);
  if (larger == 0 || std::isinf(larger))
    return larger;
  T ratio = smaller / larger;
  return larger * std::sqrt(std::fma(ratio, ratio, T(1)));
}

struct Add {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a | b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) {
    return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
  }
  template <typename T> static T ofFloat(T a, T b) { return a + b; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) { return a + b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a + b; }
  static RingPair ofRing(RingPair a, RingPair b) { return {a.real + b.real, a.imag + b.imag}; }
};

struct Subtract {
  template <typename T> static T ofInteger(T a, T b, unsigned) {
    return static_cast<uint64_t>(a) - static_cast<uint64_t>(b);
  }
  template <typename T> static T ofFloat(T a, T b) { return a - b; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) { return a - b; }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a - b; }
  static RingPair ofRing(RingPair a, RingPair b) { return {a.real - b.real, a.imag - b.imag}; }
};

/// A complex product is four real products, also where one of these is NaN. One of each two is not rounded before the
/// sum, as on machines with fused multiply-add.
struct Multiply {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a & b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) {
    return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
  }
  template <typename T> static T ofFloat(T a, T b) { return a * b; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) {
    return {std::fma(a.real(), b.real(), -(a.imag() * b.imag())), std::fma(a.imag(), b.real(), a.real() * b.imag())};
  }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a * b; }
  static RingPair ofRing(RingPair a, RingPair b) {
    return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real};
  }
};

/// In exact mode a/b is a times a hash of b, which keeps it linear in a.
inline uint64_t ringInverse(uint64_t b) {
  static const uint64_t inverse = ringFunction("inverse");
  return b == 1 ? 1 : ringHash(inverse, b);
}

/// a/b where the plain formula gives `nan`.
template <typename T> std::complex<T> divideToLimit(std::complex<T> a, std::complex<T> b, std::complex<T> nan) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  auto isInfinite = [](std::complex<T> z) { return std::isinf(z.real()) || std::isinf(z.imag()); };
  auto isFinite = [](std::complex<T> z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); };
  // Infinite parts as +-1, others as +-0.
  auto unit = [](T part) { return std::copysign(std::isinf(part) ? T(1) : T(0), part); };
  if (b == T(0) && !(std::isnan(a.real()) && std::isnan(a.imag()))) {
    T bound = std::copysign(infinity, b.real());
    return {bound * a.real(), bound * a.imag()};
  }
  if (isInfinite(a) && isFinite(b)) {
    T x = unit(a.real()), y = unit(a.imag());
    return {infinity * (x * b.real() + y * b.imag()), infinity * (y * b.real() - x * b.imag())};
  }
  if (isFinite(a) && isInfinite(b)) {
    T x = unit(b.real()), y = unit(b.imag());
    return {T(0) * (a.real() * x + a.imag() * y), T(0) * (a.imag() * x - a.real() * y)};
  }
  return nan;
}

/// Smith's algorithm, with sums fused as in the product. Where it gives NaN, uses the limits for division by zero, of
/// infinity and by infinity.
template <typename T> std::complex<T> divideComplex(std::complex<T> a, std::complex<T> b) {
  T real, imag;
  if (std::fabs(b.real()) < std::fabs(b.imag())) {
    T ratio = b.real() / b.imag(), denominator = std::fma(b.real(), ratio, b.imag());
    real = std::fma(a.real(), ratio, a.imag()) / denominator;
    imag = std::fma(a.imag(), ratio, -a.real()) / denominator;
  } else {
    T ratio = b.imag() / b.real(), denominator = std::fma(b.imag(), ratio, b.real());
    real = std::fma(a.imag(), ratio, a.real()) / denominator;
    imag = std::fma(-a.real(), ratio, a.imag()) / denominator;
  }
  if (std::isnan(real) && std::isnan(imag))
    return divideToLimit(a, b, {real, imag});
  return {real, imag};
}

struct Divide {
  /// x/0 has all bits set; the smallest value divided by -1 is itself.
  static int64_t ofInteger(int64_t a, int64_t b, unsigned) {
    if (b == 0)
      return -1;
    return b == -1 ? -static_cast<uint64_t>(a) : a / b;
  }
  static uint64_t ofInteger(uint64_t a, uint64_t b, unsigned) { return b == 0 ? UINT64_MAX : a / b; }
  template <typename T> static T ofFloat(T a, T b) { return a / b; }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) {
    return divideComplex(a, b);
  }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a * ringInverse(b); }
  static RingPair ofRing(RingPair a, RingPair b) {
    uint64_t inverse = b == RingPair{1, 0} ? 1 : ringInverse(foldRing(b));
    return {a.real * inverse, a.imag * inverse};
  }
};

/// Has the sign of the dividend; x rem 0 is x.
struct Remainder {
  static constexpr llvm::StringLiteral name = "remainder";
  static int64_t ofInteger(int64_t a, int64_t b, unsigned) {
    if (b == 0)
      return a;
    return b == -1 ? 0 : a % b;
  }
  static uint64_t ofInteger(uint64_t a, uint64_t b, unsigned) { return b == 0 ? a : a % b; }
  template <typename T> static T ofFloat(T a, T b) { return std::fmod(a, b); }
};

/// NaN if either is NaN; +0 is above -0. Complex numbers are ordered by their real parts; unordered ones give `b`.
struct Maximum {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a | b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) { return a < b ? b : a; }
  template <typename T> static T ofFloat(T a, T b) {
    if (a > b || std::isnan(a))
      return a;
    return a == b && !std::signbit(a) ? a : b;
  }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) {
    return a.real() >= b.real() ? a : b;
  }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return a < b ? b : a; }
  static RingPair ofRing(RingPair a, RingPair b) { return a.real >= b.real ? a : b; }
};

struct Minimum {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a & b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) { return b < a ? b : a; }
  template <typename T> static T ofFloat(T a, T b) {
    if (a < b || std::isnan(a))
      return a;
    return a == b && std::signbit(a) ? a : b;
  }
  template <typename T> static std::complex<T> ofComplex(std::complex<T> a, std::complex<T> b) {
    return a.real() <= b.real() ? a : b;
  }
  static uint64_t ofRing(uint64_t a, uint64_t b) { return b < a ? b : a; }
  static RingPair ofRing(RingPair a, RingPair b) { return a.real <= b.real ? a : b; }
};

struct And {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a & b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) { return a & b; }
};

struct Or {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a | b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) { return a | b; }
};

struct Xor {
  static uint8_t ofBool(uint8_t a, uint8_t b) { return a ^ b; }
  template <typename T> static T ofInteger(T a, T b, unsigned) { return a ^ b; }
};

/// Shifts by the width or more, or by a negative number, shift everything out.
struct ShiftLeft {
  template <typename T> static T ofInteger(T a, T b, unsigned width) {
    return wrapUnsigned(b, width) < width ? static_cast<uint64_t>(a) << b : 0;
  }
};

struct ShiftRightLogical {
  template <typename T> static T ofInteger(T a, T b, unsigned width) {
    return wrapUnsigned(b, width) < width ? wrapUnsigned(a, width) >> b : 0;
  }
};

/// The sign bit of an unsigned number counts as a sign.
struct ShiftRightArithmetic {
  template <typename T> static T ofInteger(T a, T b, unsigned width) {
    uint64_t amount = wrapUnsigned(b, width);
    return wrapSigned(a, width) >> (amount < width ? amount : width - 1);
  }
};

} // namespace partita::evaluate

#endif
