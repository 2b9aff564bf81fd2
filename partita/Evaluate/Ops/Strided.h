//===- Strided.h - copies boxes of elements -------------------------------===//
//
// Most ops that move data move boxes of elements: element (i, j, ...) of a box
// lies at offset + i*strides[0] + j*strides[1] + ... of a tensor's storage. A
// stride of zero repeats, a negative one reverses, a permuted one transposes:
//
//   Box whole = getWhole(operand.getShape());
//   copyBox(result, getWhole(shape), operand, {0, {1, columns}}, shape);   // transposes a matrix
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_STRIDED_H
#define PARTITA_EVALUATE_OPS_STRIDED_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"

namespace partita::evaluate {

/// Where a box of elements lies in row-major storage; one stride per dim of the box.
struct Box {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// All elements of a tensor of `shape`.
Box getWhole(llvm::ArrayRef<int64_t> shape);

/// Elements starts + i*steps of a tensor of `shape`. Boxes of no elements may start anywhere.
Box getSlice(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> steps);
Box getSlice(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> starts);

/// An integer tensor's element as an index; numbers beyond 63 bits are the largest index.
int64_t readIndex(const Tensor &indices, int64_t at);

/// Two boxes of one shape, walked together in row-major order. Each walk gives their start offsets.
class BoxPair {
public:
  BoxPair(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> toStrides, llvm::ArrayRef<int64_t> fromStrides);

  /// Elements to + i*toStride and from + i*fromStride, for i < size.
  struct Run {
    int64_t to, from;
    int64_t size, toStride, fromStride;
  };

  /// Calls `work(const Run &)` for each run of elements, of boxes that begin at offsets `to` and `from`.
  template <typename Work> void visitRuns(int64_t to, int64_t from, Work work) const {
    if (!isEmpty)
      visitLoop(loops, to, from, work);
  }

private:
  struct Loop {
    int64_t size, toStride, fromStride;
  };

  template <typename Work> static void visitLoop(llvm::ArrayRef<Loop> loops, int64_t to, int64_t from, Work &work) {
    const Loop &loop = loops.front();
    if (loops.size() == 1)
      return work(Run{to, from, loop.size, loop.toStride, loop.fromStride});
    for (int64_t i = 0; i < loop.size; ++i)
      visitLoop(loops.drop_front(), to + i * loop.toStride, from + i * loop.fromStride, work);
  }

  /// Outermost first, at least one; no two that could be one.
  llvm::SmallVector<Loop> loops;
  bool isEmpty;
};

/// Copies one box of a pair; both tensors are stored alike.
void copyPair(const BoxPair &boxes, Tensor &to, int64_t toOffset, const Tensor &from, int64_t fromOffset);

/// Copies a box of `shape`; both tensors are stored alike and hold their boxes.
void copyBox(Tensor &to, const Box &toBox, const Tensor &from, const Box &fromBox, llvm::ArrayRef<int64_t> shape);

/// Sets all elements to element 0 of `value`, which is stored like `tensor`.
void fill(Tensor &tensor, const Tensor &value);

/// Steps several offsets through a box together:
///
///   for (BoxWalk walk(shape, {a.strides, b.strides}); walk.isInside(); walk.next())
///     use(walk.offset(0), walk.offset(1));
class BoxWalk {
public:
  BoxWalk(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<llvm::ArrayRef<int64_t>> strides);

  bool isInside() const { return inside; }
  int64_t offset(size_t box) const { return offsets[box]; }
  llvm::ArrayRef<int64_t> getIndex() const { return index; }
  void next();

private:
  llvm::SmallVector<int64_t> shape, index, offsets;
  llvm::SmallVector<llvm::SmallVector<int64_t>, 2> strides;
  bool inside;
};

} // namespace partita::evaluate

#endif
