//===- IndexInputs.h - indices that a wrong rule does not survive ---------===//

#ifndef PARTITA_VALIDATERULES_INDEXINPUTS_H
#define PARTITA_VALIDATERULES_INDEXINPUTS_H

#include "partita/Evaluate/Tensor.h"
#include "partita/ValidateRules/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::validate {

/// If `op` uses `argument` as indices or as sizes of groups, fills `tensor` with such: in range, out of it on both
/// sides, at the bounds, repeated; with `extreme`, also the extreme values of the element type. Indices that the op
/// promises to be unique are.
void fillIndices(mlir::Operation *op, mlir::Value argument, bool extreme, uint64_t seed, Tensor &tensor);

} // namespace partita::validate

#endif
