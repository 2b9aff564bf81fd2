//===- Window.cpp - how many positions a sliding window has ---------------===//

#include "partita/Dialect/StableHlo/Window.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;

namespace partita::stablehlo {

/// Copies `values` into `field` of the dims, if there are any.
static LogicalResult assignField(std::optional<Location> loc, MutableArrayRef<WindowDim> window,
                                 ArrayRef<int64_t> values, int64_t WindowDim::*field, StringRef label, StringRef name) {
  if (values.empty())
    return success();
  if (values.size() != window.size())
    return emitOptionalError(loc, label, " expects one of ", name, " per dim of the window, got ", values.size(),
                             " for ", window.size(), " dims");
  for (auto [dim, value] : llvm::zip(window, values))
    dim.*field = value;
  return success();
}

static LogicalResult verifyPositive(std::optional<Location> loc, ArrayRef<WindowDim> window, int64_t WindowDim::*field,
                                    StringRef label, StringRef name) {
  for (auto [index, dim] : llvm::enumerate(window))
    if (dim.*field <= 0)
      return emitOptionalError(loc, label, " expects positive ", name, ", got ", dim.*field, " in dim ", index);
  return success();
}

static LogicalResult assignPadding(std::optional<Location> loc, MutableArrayRef<WindowDim> window,
                                   DenseIntElementsAttr padding, StringRef label) {
  if (!padding)
    return success();
  ArrayRef<int64_t> shape = padding.getType().getShape();
  bool isPairPerDim = shape.size() == 2 && shape[1] == 2;
  if (!isPairPerDim || (shape[0] != 0 && shape[0] != static_cast<int64_t>(window.size())))
    return emitOptionalError(loc, label, " expects padding of shape ", window.size(), "x2, got ", padding.getType());
  if (shape[0] == 0)
    return success();
  auto values = padding.getValues<int64_t>();
  for (auto [index, dim] : llvm::enumerate(window)) {
    dim.paddingLow = values[2 * index];
    dim.paddingHigh = values[2 * index + 1];
  }
  return success();
}

FailureOr<SmallVector<WindowDim>> buildWindow(std::optional<Location> loc, const WindowAttrs &attrs,
                                              const WindowLabels &labels) {
  SmallVector<WindowDim> window;
  for (auto [index, size] : llvm::enumerate(attrs.sizes)) {
    if (!ShapedType::isDynamic(size) && size <= 0)
      return emitOptionalError(loc, labels.positiveSizes, " expects positive window sizes, got ", size, " in dim ",
                               index);
    window.push_back({size});
  }
  if (failed(assignField(loc, window, attrs.strides, &WindowDim::stride, labels.numStrides, "window_strides")) ||
      failed(assignField(loc, window, attrs.baseDilations, &WindowDim::baseDilation, labels.numBaseDilations,
                         "base_dilations")) ||
      failed(assignField(loc, window, attrs.windowDilations, &WindowDim::windowDilation, labels.numWindowDilations,
                         "window_dilations")) ||
      failed(assignPadding(loc, window, attrs.padding, labels.paddingShape)) ||
      failed(verifyPositive(loc, window, &WindowDim::stride, labels.positiveStrides, "window_strides")) ||
      failed(verifyPositive(loc, window, &WindowDim::baseDilation, labels.positiveBaseDilations, "base_dilations")) ||
      failed(
          verifyPositive(loc, window, &WindowDim::windowDilation, labels.positiveWindowDilations, "window_dilations")))
    return failure();
  return window;
}

/// Nothing where the size exceeds 64 bits.
static std::optional<int64_t> dilate(int64_t size, int64_t dilation) {
  if (size == 0)
    return 0;
  return llvm::checkedMulAdd<int64_t>(size - 1, dilation, 1);
}

static std::optional<int64_t> computePaddedSize(int64_t size, const WindowDim &dim) {
  std::optional<int64_t> dilated = dilate(size, dim.baseDilation);
  std::optional<int64_t> low = dilated ? llvm::checkedAdd(*dilated, dim.paddingLow) : std::nullopt;
  return low ? llvm::checkedAdd(*low, dim.paddingHigh) : std::nullopt;
}

/// Of static sizes.
static std::optional<int64_t> computeWindowCount(int64_t size, const WindowDim &dim) {
  std::optional<int64_t> padded = computePaddedSize(size, dim);
  std::optional<int64_t> windowSize = dilate(dim.size, dim.windowDilation);
  if (!padded || !windowSize)
    return std::nullopt;
  if (*padded == 0 || *windowSize > *padded)
    return 0;
  return (*padded - *windowSize) / dim.stride + 1;
}

FailureOr<SmallVector<int64_t>> computeWindowCounts(std::optional<Location> loc, ArrayRef<int64_t> shape,
                                                    ArrayRef<WindowDim> window) {
  SmallVector<int64_t> counts;
  for (auto [size, dim] : llvm::zip_equal(shape, window)) {
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(dim.size)) {
      counts.push_back(ShapedType::kDynamic);
      continue;
    }
    std::optional<int64_t> count = computeWindowCount(size, dim);
    if (!count)
      return emitOptionalError(loc, "the window of dim ", counts.size(), " exceeds 64-bit sizes");
    counts.push_back(*count);
  }
  return counts;
}

} // namespace partita::stablehlo
