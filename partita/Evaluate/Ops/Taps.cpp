//===- Taps.cpp - which elements a sliding window sees --------------------===//

#include "partita/Evaluate/Ops/Taps.h"

#include <numeric>

using namespace mlir;

namespace partita::evaluate {

/// Wide enough for any sum of two products that the dialect lets pass.
using Wide = __int128;

static Wide divideCeil(Wide a, Wide b) { return a > 0 ? (a - 1) / b + 1 : -(-a / b); }
static Wide divideFloor(Wide a, Wide b) { return -divideCeil(-a, b); }

Taps computeTaps(const stablehlo::WindowDim &dim, int64_t size, int64_t position) {
  // In padded coordinates the window covers [begin, begin + (w-1)*windowDilation].
  Wide begin = Wide(position) * dim.stride - dim.paddingLow;
  Wide last = begin + Wide(dim.size - 1) * dim.windowDilation;
  Wide first = std::max<Wide>(divideCeil(begin, dim.baseDilation), 0);
  Wide end = std::min<Wide>(divideFloor(last, dim.baseDilation) + 1, size);
  // Operand elements that fall between those of a dilated window are not seen.
  while (first < end && (first * dim.baseDilation - begin) % dim.windowDilation != 0)
    ++first;
  if (first >= end)
    return {};
  int64_t common = std::gcd(dim.baseDilation, dim.windowDilation);
  Taps taps;
  taps.operandStep = dim.windowDilation / common;
  taps.windowStep = dim.baseDilation / common;
  taps.operand = first;
  taps.window = (first * dim.baseDilation - begin) / dim.windowDilation;
  taps.count = (end - first - 1) / taps.operandStep + 1;
  return taps;
}

SlidingWindow::SlidingWindow(ArrayRef<stablehlo::WindowDim> window, ArrayRef<int64_t> operandShape,
                             ArrayRef<int64_t> counts) {
  for (auto [dim, size, count] : llvm::zip_equal(window, operandShape, counts)) {
    std::vector<Taps> &ofDim = taps.emplace_back();
    for (int64_t position = 0; position < count; ++position)
      ofDim.push_back(computeTaps(dim, size, position));
  }
}

SlidingWindow::View SlidingWindow::look(ArrayRef<int64_t> position, ArrayRef<int64_t> operandStrides,
                                        ArrayRef<int64_t> windowStrides) const {
  View view;
  for (size_t dim = 0; dim < taps.size(); ++dim) {
    const Taps &here = taps[dim][position[dim]];
    view.shape.push_back(here.count);
    view.operandBegin += here.operand * operandStrides[dim];
    view.windowBegin += here.window * windowStrides[dim];
    view.operandStrides.push_back(here.operandStep * operandStrides[dim]);
    view.windowStrides.push_back(here.windowStep * windowStrides[dim]);
  }
  return view;
}

SmallVector<stablehlo::WindowDim> buildWindow(const stablehlo::WindowAttrs &attrs) {
  static constexpr stablehlo::WindowLabels labels = {"", "", "", "", "", "", "", ""};
  return *stablehlo::buildWindow(std::nullopt, attrs, labels);
}

} // namespace partita::evaluate
