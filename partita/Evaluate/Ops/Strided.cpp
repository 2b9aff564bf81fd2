//===- Strided.cpp - copies boxes of elements -----------------------------===//

#include "partita/Evaluate/Ops/Strided.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace partita::evaluate {

Box getWhole(ArrayRef<int64_t> shape) { return {0, computeStrides(shape)}; }

/// May wrap only where a box has no element, or no second one; the product is not used then.
static int64_t multiplyWrapping(int64_t a, int64_t b) { return static_cast<uint64_t>(a) * static_cast<uint64_t>(b); }

Box getSlice(ArrayRef<int64_t> shape, ArrayRef<int64_t> starts, ArrayRef<int64_t> steps) {
  Box box = getSlice(shape, starts);
  for (auto [stride, step] : llvm::zip_equal(box.strides, steps))
    stride = multiplyWrapping(stride, step);
  return box;
}

Box getSlice(ArrayRef<int64_t> shape, ArrayRef<int64_t> starts) {
  Box box = getWhole(shape);
  uint64_t offset = 0;
  for (auto [stride, start] : llvm::zip_equal(box.strides, starts))
    offset += multiplyWrapping(start, stride);
  box.offset = offset;
  return box;
}

int64_t readIndex(const Tensor &indices, int64_t at) {
  int64_t index = indices.getInteger(at);
  return indices.getKind() == StorageKind::Unsigned && index < 0 ? INT64_MAX : index;
}

BoxPair::BoxPair(ArrayRef<int64_t> shape, ArrayRef<int64_t> toStrides, ArrayRef<int64_t> fromStrides)
    : isEmpty(llvm::is_contained(shape, 0)) {
  for (auto [size, toStride, fromStride] : llvm::zip_equal(shape, toStrides, fromStrides)) {
    if (size == 1 || isEmpty)
      continue;
    Loop loop{size, toStride, fromStride};
    if (!loops.empty() && loops.back().toStride == size * toStride && loops.back().fromStride == size * fromStride)
      loop.size *= loops.pop_back_val().size;
    loops.push_back(loop);
  }
  if (loops.empty())
    loops.push_back({1, 1, 1});
}

template <typename T> static void copyRun(T *to, const T *from, const BoxPair::Run &run) {
  to += run.to;
  from += run.from;
  if (run.toStride == 1 && run.fromStride == 1)
    std::copy_n(from, run.size, to);
  else if (run.toStride == 1 && run.fromStride == 0)
    std::fill_n(to, run.size, *from);
  else
    for (int64_t i = 0; i < run.size; ++i)
      to[i * run.toStride] = from[i * run.fromStride];
}

void copyPair(const BoxPair &boxes, Tensor &to, int64_t toOffset, const Tensor &from, int64_t fromOffset) {
  visitKind(to.getKind(), [&]<typename T>(T *) {
    T *toData = to.edit<T>().data();
    const T *fromData = from.get<T>().data();
    boxes.visitRuns(toOffset, fromOffset, [=](const BoxPair::Run &run) { copyRun(toData, fromData, run); });
  });
}

void copyBox(Tensor &to, const Box &toBox, const Tensor &from, const Box &fromBox, ArrayRef<int64_t> shape) {
  copyPair(BoxPair(shape, toBox.strides, fromBox.strides), to, toBox.offset, from, fromBox.offset);
}

void fill(Tensor &tensor, const Tensor &value) {
  visitKind(tensor.getKind(), [&]<typename T>(T *) { llvm::fill(tensor.edit<T>(), value.get<T>()[0]); });
}

BoxWalk::BoxWalk(ArrayRef<int64_t> shape, ArrayRef<ArrayRef<int64_t>> boxStrides)
    : shape(shape), index(shape.size(), 0), offsets(boxStrides.size(), 0), inside(!llvm::is_contained(shape, 0)) {
  for (ArrayRef<int64_t> one : boxStrides)
    strides.emplace_back(one);
}

void BoxWalk::next() {
  for (size_t dim = shape.size(); dim-- > 0;) {
    bool fits = ++index[dim] < shape[dim];
    int64_t steps = fits ? 1 : 1 - shape[dim];
    for (size_t box = 0; box < offsets.size(); ++box)
      offsets[box] += steps * strides[box][dim];
    if (fits)
      return;
    index[dim] = 0;
  }
  inside = false;
}

} // namespace partita::evaluate
