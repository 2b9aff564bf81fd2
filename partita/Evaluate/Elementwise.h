//===- Elementwise.h - evaluates elementwise ops --------------------------===//
//
// An elementwise op is a struct of functions of single elements, one for each
// kind of element that it takes:
//
//   struct Negate {
//     template <typename T> static T ofInteger(T a, unsigned width) { return -static_cast<uint64_t>(a); }
//     template <typename T> static T ofFloat(T a) { return -a; }
//     template <typename T> static std::complex<T> ofComplex(std::complex<T> a) { return -a; }
//     static uint64_t ofRing(uint64_t a) { return -a; }
//     static RingPair ofRing(RingPair a) { return {-a.real, -a.imag}; }
//   };
//   addElementwise<stablehlo::NegOp, Negate>(table);
//
// After the function, integers are wrapped to their width and narrow floats are
// rounded. An `ofFloat` for double serves all floats. `ofRing` is for exact
// mode (Tensor.h); without it the result there is a hash of the `name` and the
// operands. Functions to another element type (compare, convert) use `mapTo`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_ELEMENTWISE_H
#define PARTITA_EVALUATE_ELEMENTWISE_H

#include "partita/Evaluate/Number.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

#include "mlir/IR/OpDefinition.h"

#include <utility>

namespace partita::evaluate {

/// The type of an op's result number `index`.
inline mlir::RankedTensorType resultType(mlir::Operation *op, unsigned index = 0) {
  return mlir::cast<mlir::RankedTensorType>(op->getResult(index).getType());
}

/// The error for an `op` that the evaluator does not support on this element type.
Error unsupportedElement(mlir::Operation *op, mlir::Type elementType);

/// Integers, floats and complex numbers: what tensors can hold.
bool isEvaluable(mlir::Type elementType);

//===----------------------------------------------------------------------===//
// Exact mode: functions without arithmetic meaning are hashes of their operands
//===----------------------------------------------------------------------===//

inline uint64_t hashRing(uint64_t function, uint64_t a) { return ringHash(function, a); }
inline uint64_t hashRing(uint64_t function, uint64_t a, uint64_t b) { return ringHash(function, a, b); }
/// The two parts of a complex number together, as operand of a hash.
inline uint64_t foldRing(RingPair a) { return ringHash(a.real, a.imag); }
template <typename... Pairs> RingPair hashRing(uint64_t function, RingPair a, Pairs... rest) {
  uint64_t real = hashRing(function, foldRing(a), foldRing(rest)...);
  return {real, ringHash(function, real)};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// T, once for each type of a pack.
template <typename T, typename> using Repeat = T;

/// out[i] = f(out[i], rest[i]...), in place, so that a tensor after its last use is not copied.
template <typename T, typename F, typename... Refs> void mapInPlace(llvm::MutableArrayRef<T> out, F f, Refs... rest) {
  for (size_t i = 0, e = out.size(); i < e; ++i)
    out[i] = f(out[i], rest[i]...);
}

/// result[i] = f(operands[i]...), operands being stored as A.
template <typename R, typename A, typename F, typename... Tensors>
void mapTo(Tensor &result, F f, const Tensors &...operands) {
  auto loop = [&](llvm::MutableArrayRef<R> out, auto... in) {
    for (size_t i = 0, e = out.size(); i < e; ++i)
      out[i] = f(in[i]...);
  };
  loop(result.edit<R>(), operands.template get<A>()...);
}

inline int64_t wrap(int64_t value, unsigned width) { return wrapSigned(value, width); }
inline uint64_t wrap(uint64_t value, unsigned width) { return wrapUnsigned(value, width); }

template <typename F, typename... Tensors> bool applyToBools(Tensor &first, const Tensors &...rest) {
  if constexpr (requires(uint8_t a, Repeat<uint8_t, Tensors>... b) { F::ofBool(a, b...); }) {
    mapInPlace(first.edit<uint8_t>(), F::ofBool, rest.template get<uint8_t>()...);
    return true;
  }
  return false;
}

template <typename T, typename F, typename... Tensors> bool applyToIntegers(Tensor &first, const Tensors &...rest) {
  if constexpr (requires(T a, Repeat<T, Tensors>... b) { F::ofInteger(a, b..., 0u); }) {
    unsigned width = getIntegerWidth(first.getElementType());
    mapInPlace(
        first.edit<T>(), [=](T a, Repeat<T, Tensors>... b) { return wrap(F::ofInteger(a, b..., width), width); },
        rest.template get<T>()...);
    return true;
  }
  return false;
}

/// Floats stored as float: f32 with float's own arithmetic where F has it, narrow ones in double and rounded once.
/// Correct for + - * / and sqrt, whose double results round to a narrow type as the exact ones do.
template <typename F, typename... Tensors> void applyToStoredFloats(Tensor &first, const Tensors &...rest) {
  llvm::MutableArrayRef<float> out = first.edit<float>();
  if (first.getElementType().isF32())
    return mapInPlace(
        out, [](float a, Repeat<float, Tensors>... b) { return static_cast<float>(F::ofFloat(a, b...)); },
        rest.template get<float>()...);
  FloatRounder round(first.getElementType());
  mapInPlace(
      out, [&](double a, Repeat<double, Tensors>... b) { return round(F::ofFloat(a, b...)); },
      rest.template get<float>()...);
}

template <typename F, typename... Tensors> bool applyToFloats(Tensor &first, const Tensors &...rest) {
  if constexpr (requires(double a, Repeat<double, Tensors>... b) { F::ofFloat(a, b...); }) {
    if (first.getKind() == StorageKind::Float)
      applyToStoredFloats<F>(first, rest...);
    else
      mapInPlace(
          first.edit<double>(), [](double a, Repeat<double, Tensors>... b) { return F::ofFloat(a, b...); },
          rest.template get<double>()...);
    return true;
  }
  return false;
}

template <typename T, typename F, typename... Tensors> bool applyToRing(Tensor &first, const Tensors &...rest) {
  auto apply = [&](auto f) { mapInPlace(first.edit<T>(), f, rest.template get<T>()...); };
  if constexpr (requires(T a, Repeat<T, Tensors>... b) { F::ofRing(a, b...); })
    apply([](T a, Repeat<T, Tensors>... b) { return F::ofRing(a, b...); });
  else if constexpr (requires { F::name; })
    apply([function = ringFunction(F::name)](T a, Repeat<T, Tensors>... b) { return hashRing(function, a, b...); });
  else
    return false;
  return true;
}

template <typename T, typename F, typename... Tensors> bool applyToComplex(Tensor &first, const Tensors &...rest) {
  using Complex = std::complex<T>;
  if constexpr (requires(Complex a, Repeat<Complex, Tensors>... b) { F::ofComplex(a, b...); }) {
    mapInPlace(
        first.edit<Complex>(),
        [](Complex a, Repeat<Complex, Tensors>... b) { return static_cast<Complex>(F::ofComplex(a, b...)); },
        rest.template get<Complex>()...);
    return true;
  }
  return false;
}

/// first[i] = f(first[i], rest[i]...) with the functions of `F`. All tensors have one type; false if `F` does not
/// support it.
template <typename F, typename... Tensors> bool apply(Tensor &first, const Tensors &...rest) {
  switch (first.getKind()) {
  case StorageKind::Bool:
    return applyToBools<F>(first, rest...);
  case StorageKind::Signed:
    return applyToIntegers<int64_t, F>(first, rest...);
  case StorageKind::Unsigned:
    return applyToIntegers<uint64_t, F>(first, rest...);
  case StorageKind::Float:
  case StorageKind::Double:
    return applyToFloats<F>(first, rest...);
  case StorageKind::Complex64:
    return applyToComplex<float, F>(first, rest...);
  case StorageKind::Complex128:
    return applyToComplex<double, F>(first, rest...);
  case StorageKind::Ring:
    return applyToRing<uint64_t, F>(first, rest...);
  case StorageKind::RingComplex:
    return applyToRing<RingPair, F>(first, rest...);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Moves the operand out of the call and gives it the type of the result. After its last use it is then edited in
/// place.
Tensor takeOperand(Call &call, unsigned index, mlir::RankedTensorType type);

/// An op of one or two operands whose result has their type.
template <typename OpT, typename F> Status evaluateElementwise(OpT op, Call &call) {
  mlir::RankedTensorType type = resultType(op);
  if (!isEvaluable(type.getElementType()))
    return unsupportedElement(op, type.getElementType());
  Tensor result = takeOperand(call, 0, type);
  bool done;
  if constexpr (OpT::template hasTrait<mlir::OpTrait::OneOperand>())
    done = apply<F>(result);
  else
    done = apply<F>(result, call.operands[1]);
  if (!done)
    return unsupportedElement(op, type.getElementType());
  call.results.push_back(std::move(result));
  return std::nullopt;
}

template <typename OpT, typename F> void addElementwise(OpTable &table) {
  table.add<OpT, evaluateElementwise<OpT, F>>();
}

} // namespace partita::evaluate

#endif
