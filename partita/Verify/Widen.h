//===- Widen.h - a program with all its floats computed as f64 ------------===//
//
// How wrong a float result is can only be told from a better one. The wide
// program is the same one with f64 in place of every narrower float type (and of
// every such part of a complex number), so that its rounding errors are small
// beside theirs:
//
//   %0 = stablehlo.dot_general %a, %b ... : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
//   %0 = stablehlo.dot_general %a, %b ... : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
//
// Constants keep their values. What is there to lose digits (reduce_precision, a
// conversion to bf16 and back, the algorithm of a dot) loses none. Bits are those
// of the narrow type: a bitcast converts to it or from it.
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

/// The same numbers as f64; itself if the elements are no floats, or f64 already.
Tensor widenTensor(const Tensor &tensor);

/// The wide program; an error of the kind Unsupported, with the op, where there is none: floats that an unknown custom
/// call takes or gives.
Result<mlir::OwningOpRef<mlir::ModuleOp>> widenProgram(mlir::ModuleOp module);

} // namespace partita::verify

#endif
