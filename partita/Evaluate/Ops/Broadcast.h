//===- Broadcast.h - repeats operands to a larger shape -------------------===//
//
// Shared by the broadcasting ops of chlo (Broadcast.cpp) and by ops that accept
// scalars beside tensors.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_BROADCAST_H
#define PARTITA_EVALUATE_OPS_BROADCAST_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// The operand in the shape of `type`: its dim i is dim `dims[i]` of the result, where it has the same size or size 1.
/// The element type stays the operand's.
Tensor broadcast(const Tensor &operand, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);

/// The operand, if it has the shape of `type`. Else it must be a scalar and is repeated.
Tensor broadcastScalar(const Tensor &operand, mlir::RankedTensorType type);

} // namespace partita::evaluate

#endif
