//===- IndexInputs.h - indices that expose wrong rules --------------------===//
//
// The part of AdversarialInputs.h for operands that are indices or group sizes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_INDEXINPUTS_H
#define PARTITA_VALIDATERULES_INDEXINPUTS_H

#include "partita/Evaluate/Tensor.h"
#include "partita/ValidateRules/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::validate {

/// If `op` uses `argument` as indices or group sizes, fills `tensor` with indices in range, out of range on both sides,
/// at the bounds, and repeated. With `extreme`, also with the extreme values of the element type. Indices are unique
/// where the op promises that.
void fillIndices(mlir::Operation *op, mlir::Value argument, bool extreme, uint64_t seed, Tensor &tensor);

} // namespace partita::validate

#endif
