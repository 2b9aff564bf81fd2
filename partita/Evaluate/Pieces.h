//===- Pieces.h - cutting tensors and putting them together ---------------===//

#ifndef PARTITA_EVALUATE_PIECES_H
#define PARTITA_EVALUATE_PIECES_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// The block of `shape` at `offsets`, which must lie inside.
Tensor extractPiece(const Tensor &whole, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> shape);

/// Writes `piece` into `whole` at `offsets`.
void insertPiece(Tensor &whole, llvm::ArrayRef<int64_t> offsets, const Tensor &piece);

/// Piece number `index` of `count` equal ones along `dim`.
Tensor extractPart(const Tensor &whole, int64_t dim, int64_t index, int64_t count);

/// The parts one after the other along `dim`; there is at least one, and they are alike in all other dims.
Tensor concatenate(llvm::ArrayRef<Tensor> parts, int64_t dim);

} // namespace partita::evaluate

#endif
