//===- Pieces.h - cuts tensors into pieces and joins them -----------------===//
//
// Copies between a whole tensor and the blocks that devices hold. Storage kinds
// and element types stay.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_PIECES_H
#define PARTITA_EVALUATE_PIECES_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// The block of `shape` at `offsets`. It must lie inside `whole`.
Tensor extractPiece(const Tensor &whole, llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> shape);

/// Writes `piece` into `whole` at `offsets`.
void insertPiece(Tensor &whole, llvm::ArrayRef<int64_t> offsets, const Tensor &piece);

/// Piece `index` of `count` equal pieces along `dim`.
Tensor extractPart(const Tensor &whole, int64_t dim, int64_t index, int64_t count);

/// Joins the parts along `dim`. There is at least one, and they have the same size in all other dims.
Tensor concatenate(llvm::ArrayRef<Tensor> parts, int64_t dim);

} // namespace partita::evaluate

#endif
