//===- Widen.h - a program with f64 for all floats ------------------------===//
//
// The error of a float result shows only against a better result. The wide
// program is the same program with f64 in place of every narrower float type
// (also in complex numbers). Its rounding errors are small compared to those of
// the original:
//
//   %0 = stablehlo.dot_general %a, %b ... : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
//   %0 = stablehlo.dot_general %a, %b ... : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
//
// Constants keep their values. Ops that lose digits (reduce_precision, a
// conversion to bf16 and back, the algorithm of a dot) lose none. A bitcast
// still uses the bits of the narrow type: it converts to that type or from it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_WIDEN_H
#define PARTITA_VERIFY_WIDEN_H

#include "partita/Evaluate/Tensor.h"
#include "partita/Support/Error.h"
#include "partita/Verify/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::verify {

/// `type` with f64 in place of a narrower float type; itself where it has none.
mlir::Type widenType(mlir::Type type);

/// The same numbers as f64. Unchanged if the elements are not floats, or are f64 already.
Tensor widenTensor(const Tensor &tensor);

/// The wide program. An Unsupported error at the op if an unknown custom call takes or gives floats.
Result<mlir::OwningOpRef<mlir::ModuleOp>> widenProgram(mlir::ModuleOp module);

} // namespace partita::verify

#endif
