//===- IndexedWindows.h - windows that gather reads or scatter writes -----===//
//
// Both ops map windows of an operand to parts of a slices tensor (gather's
// result, scatter's updates), one for each index vector:
//
//   for (BoxWalk walk = windows.walk(); walk.isInside(); walk.next())
//     ... windows.findClamped(walk, indices) is where the window begins in the operand,
//         walk.offset(IndexedWindows::Slices) is where its part of the slices begins,
//         windows.boxes are the elements of both
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_INDEXEDWINDOWS_H
#define PARTITA_EVALUATE_OPS_INDEXEDWINDOWS_H

#include "partita/Dialect/StableHlo/IndexedDims.h"
#include "partita/Evaluate/Ops/Strided.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// Which of two tensors the first box of a pair belongs to.
enum class WindowDirection { ToSlices, ToOperand };

class IndexedWindows {
public:
  /// `windowSizes` has one size per dim of the operand.
  IndexedWindows(const stablehlo::IndexedDims &dims, llvm::ArrayRef<int64_t> operandShape,
                 llvm::ArrayRef<int64_t> indicesShape, llvm::ArrayRef<int64_t> slicesShape,
                 llvm::ArrayRef<int64_t> windowSizes, WindowDirection direction);

  /// Offsets that the walk over index vectors keeps.
  enum Offset { Indices, Slices, Operand };
  BoxWalk walk() const { return BoxWalk(countShape, {indicesStrides, slicesStrides, batchStrides}); }

  /// Where the window of the walk's index vector begins, clamped so that it lies in the operand.
  int64_t findClamped(const BoxWalk &walk, const Tensor &indices) const;
  /// The same without clamping: nothing for a window that does not lie in the operand.
  std::optional<int64_t> findInside(const BoxWalk &walk, const Tensor &indices) const;

  /// Elements of one window.
  const BoxPair &getBoxes() const { return boxes; }

private:
  /// A component of the index vector: where to read it, and how it moves the window.
  struct Component {
    int64_t indicesOffset, operandStride, maxStart;
  };

  llvm::SmallVector<int64_t> countShape, indicesStrides, slicesStrides, batchStrides;
  llvm::SmallVector<Component> components;
  BoxPair boxes;
};

} // namespace partita::evaluate

#endif
