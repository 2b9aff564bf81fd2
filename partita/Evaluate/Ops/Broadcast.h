//===- Broadcast.h - operands repeated to a larger shape ------------------===//

#ifndef PARTITA_EVALUATE_OPS_BROADCAST_H
#define PARTITA_EVALUATE_OPS_BROADCAST_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// The operand in the shape of `type`: its dim i is dim `dims[i]` of the result, where it has the same size or size 1.
/// The element type stays the operand's.
Tensor broadcast(const Tensor &operand, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dims);

/// The operand if it has the shape of `type`, else it is a scalar and repeated.
Tensor broadcastScalar(const Tensor &operand, mlir::RankedTensorType type);

} // namespace partita::evaluate

#endif
