//===- Elementwise.h - loops over elements --------------------------------===//
//
// Templates by which an elementwise op becomes one line per kind of element.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_ELEMENTWISE_H
#define PARTITA_EVALUATE_OPS_ELEMENTWISE_H

#include "partita/Evaluate/Number.h"
#include "partita/Evaluate/OpTable.h"

namespace partita::evaluate {

/// result[i] = f(a[i]); both of storage type R and A.
template <typename R, typename A, typename F> void mapInto(Tensor &result, const Tensor &a, F f) {
  llvm::MutableArrayRef<R> out = result.edit<R>();
  llvm::ArrayRef<A> in = a.get<A>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(in[i]);
}

/// result[i] = f(a[i], b[i]).
template <typename R, typename A, typename F> void zipInto(Tensor &result, const Tensor &a, const Tensor &b, F f) {
  llvm::MutableArrayRef<R> out = result.edit<R>();
  llvm::ArrayRef<A> left = a.get<A>(), right = b.get<A>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = f(left[i], right[i]);
}

/// Applies `f(double, double) -> double` to floats stored as float, rounding to their type. Correct for + - * / and
/// sqrt, whose double results round to the narrow type without double rounding.
template <typename F> void zipRounded(Tensor &result, const Tensor &a, const Tensor &b, F f) {
  FloatRounder round(result.getElementType());
  zipInto<float, float>(result, a, b, [&](double x, double y) { return round(f(x, y)); });
}

/// The type of an op's result number `index`.
inline mlir::RankedTensorType resultType(mlir::Operation *op, unsigned index = 0) {
  return mlir::cast<mlir::RankedTensorType>(op->getResult(index).getType());
}

} // namespace partita::evaluate

#endif
