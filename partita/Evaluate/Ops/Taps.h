//===- Taps.h - which elements a sliding window sees ----------------------===//
//
// A window slides over an operand that is dilated and padded
// (StableHlo/Window.h). At position p of one dim, window element w meets
// operand element i if
//
//   p*stride + w*windowDilation == paddingLow + i*baseDilation
//
// The pairs (w, i) that satisfy this are the taps. They form an arithmetic
// progression in both, so padding and holes are never visited.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_TAPS_H
#define PARTITA_EVALUATE_OPS_TAPS_H

#include "partita/Dialect/StableHlo/Window.h"
#include "partita/Evaluate/Ops/Strided.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// Pairs (window + t*windowStep, operand + t*operandStep) for t < count.
struct Taps {
  int64_t count = 0;
  int64_t operand = 0, operandStep = 0;
  int64_t window = 0, windowStep = 0;
};

/// Taps of the window at `position`, in a dim of `size` elements.
Taps computeTaps(const stablehlo::WindowDim &dim, int64_t size, int64_t position);

/// The taps of a window that slides over several dims.
class SlidingWindow {
public:
  /// `counts` says how many positions each dim has.
  SlidingWindow(llvm::ArrayRef<stablehlo::WindowDim> window, llvm::ArrayRef<int64_t> operandShape,
                llvm::ArrayRef<int64_t> counts);

  /// Walks the taps at `position`: offset(0) is in the operand, offset(1) in the window, by the given strides; both
  /// count from the first tap, which is at `operandBegin` and `windowBegin`.
  struct View {
    int64_t operandBegin = 0, windowBegin = 0;
    llvm::SmallVector<int64_t> shape, operandStrides, windowStrides;

    BoxWalk walk() const { return BoxWalk(shape, {operandStrides, windowStrides}); }
  };
  View look(llvm::ArrayRef<int64_t> position, llvm::ArrayRef<int64_t> operandStrides,
            llvm::ArrayRef<int64_t> windowStrides) const;

private:
  /// By dim, then by position.
  std::vector<std::vector<Taps>> taps;
};

/// A window from an op's attributes, which the dialect has verified.
llvm::SmallVector<stablehlo::WindowDim> buildWindow(const stablehlo::WindowAttrs &attrs);

} // namespace partita::evaluate

#endif
