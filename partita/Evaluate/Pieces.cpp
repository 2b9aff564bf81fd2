//===- Pieces.cpp - cuts tensors into pieces and joins them ---------------===//

#include "partita/Evaluate/Pieces.h"

using namespace mlir;

namespace partita::evaluate {

/// Calls `copyRow(inWhole, inPiece, size)` for each row of a piece: where it starts in both, and how long it is.
static void visitRows(ArrayRef<int64_t> wholeShape, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape,
                      llvm::function_ref<void(int64_t, int64_t, int64_t)> copyRow) {
  if (llvm::is_contained(shape, 0))
    return;
  if (shape.empty())
    return copyRow(0, 0, 1);
  SmallVector<int64_t> strides = computeStrides(wholeShape);
  ArrayRef<int64_t> outer = shape.drop_back();
  SmallVector<int64_t> index(outer.size());
  int64_t inPiece = 0, row = shape.back();
  do {
    int64_t inWhole = offsets.back();
    for (size_t dim = 0; dim < outer.size(); ++dim)
      inWhole += (offsets[dim] + index[dim]) * strides[dim];
    copyRow(inWhole, inPiece, row);
    inPiece += row;
  } while (increment(index, outer));
}

Tensor extractPiece(const Tensor &whole, ArrayRef<int64_t> offsets, ArrayRef<int64_t> shape) {
  if (shape == whole.getShape())
    return whole;
  Tensor piece(RankedTensorType::get(shape, whole.getElementType()), whole.getMode());
  visitKind(whole.getKind(), [&]<typename T>(T *) {
    const T *from = whole.get<T>().data();
    T *to = piece.edit<T>().data();
    visitRows(whole.getShape(), offsets, shape,
              [&](int64_t inWhole, int64_t inPiece, int64_t size) { std::copy_n(from + inWhole, size, to + inPiece); });
  });
  return piece;
}

void insertPiece(Tensor &whole, ArrayRef<int64_t> offsets, const Tensor &piece) {
  visitKind(whole.getKind(), [&]<typename T>(T *) {
    const T *from = piece.get<T>().data();
    T *to = whole.edit<T>().data();
    visitRows(whole.getShape(), offsets, piece.getShape(),
              [&](int64_t inWhole, int64_t inPiece, int64_t size) { std::copy_n(from + inPiece, size, to + inWhole); });
  });
}

Tensor extractPart(const Tensor &whole, int64_t dim, int64_t index, int64_t count) {
  SmallVector<int64_t> shape(whole.getShape()), offsets(shape.size());
  shape[dim] /= count;
  offsets[dim] = index * shape[dim];
  return extractPiece(whole, offsets, shape);
}

Tensor concatenate(ArrayRef<Tensor> parts, int64_t dim) {
  SmallVector<int64_t> shape(parts.front().getShape()), offsets(shape.size());
  shape[dim] = 0;
  for (const Tensor &part : parts)
    shape[dim] += part.getDim(dim);
  Tensor whole(RankedTensorType::get(shape, parts.front().getElementType()), parts.front().getMode());
  for (const Tensor &part : parts) {
    insertPiece(whole, offsets, part);
    offsets[dim] += part.getDim(dim);
  }
  return whole;
}

} // namespace partita::evaluate
