//===- DimLinks.cpp - dims of an op that become longer together -----------===//

#include "partita/Padding/DimLinks.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/StageShift.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::padding {

using rules::DimRef;
using rules::ofOperand;
using rules::ofResult;

int64_t SlidingDim::countRead() const {
  int64_t last = (windows - 1) * stride + (length - 1) * dilation - low;
  return llvm::divideFloorSigned(last, spread) + 1;
}

int64_t SlidingDim::getHigh() const {
  return (windows - 1) * stride + (length - 1) * dilation - (elements - 1) * spread - low;
}

int64_t DimLink::countSteps(int64_t multiple) const {
  int64_t steps = 1;
  for (const End &end : ends)
    steps = std::max(steps, llvm::divideCeilSigned(end.least, end.scale));
  return llvm::divideCeilSigned(steps, multiple) * multiple;
}

bool DimLink::has(DimRef dim) const {
  return llvm::any_of(ends, [&](const End &end) {
    return end.dim.isResult == dim.isResult && end.dim.value == dim.value && end.dim.dim == dim.dim;
  });
}

static int64_t at(std::optional<ArrayRef<int64_t>> list, unsigned dim, int64_t absent = 1) {
  return list && !list->empty() ? (*list)[dim] : absent;
}

static int64_t getLow(DenseIntElementsAttr padding, unsigned dim) {
  return padding ? padding.getValues<int64_t>()[2 * uint64_t(dim)] : 0;
}

/// Nothing if windows are no function of steps, or see the whole dim.
static std::optional<DimLink> linkWindows(unsigned index, const SlidingDim &sliding, ArrayRef<DimRef> elements,
                                          ArrayRef<DimRef> windows, bool needsAll) {
  bool isPlain = sliding.spread == 1, isSpread = sliding.spread > 1 && sliding.stride == 1;
  if (sliding.elements < 2 || sliding.windows < 2 || (!isPlain && !isSpread) ||
      (sliding.length - 1) * sliding.dilation >= sliding.elements * sliding.spread)
    return std::nullopt;
  DimLink link{DimLink::Kind::Windows, index, sliding, {}};
  int64_t least = needsAll ? sliding.elements : std::min(sliding.elements, std::max<int64_t>(1, sliding.countRead()));
  for (DimRef dim : elements)
    link.ends.push_back({dim, isPlain ? sliding.stride : 1, least});
  for (DimRef dim : windows)
    link.ends.push_back({dim, isPlain ? 1 : sliding.spread, sliding.windows});
  return link;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::optional<DimLink> linkConvolution(stablehlo::ConvolutionOp op, unsigned index) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimRef input = ofOperand(0, dims.getInputSpatialDimensions()[index]);
  DimRef kernel = ofOperand(1, dims.getKernelSpatialDimensions()[index]);
  DimRef result = ofResult(0, dims.getOutputSpatialDimensions()[index]);
  SlidingDim sliding{rules::getShape(op.getLhs())[input.dim],
                     rules::getShape(op.getResult())[result.dim],
                     rules::getShape(op.getRhs())[kernel.dim],
                     at(op.getWindowStrides(), index),
                     at(op.getRhsDilation(), index),
                     getLow(op.getPaddingAttr(), index),
                     at(op.getLhsDilation(), index)};
  if (sliding.length <= sliding.windows)
    return linkWindows(index, sliding, input, result, /*needsAll=*/false);
  std::optional<ArrayRef<bool>> reversal = op.getWindowReversal();
  if (sliding.spread != 1 || sliding.length < 2 || sliding.elements < 2 || (reversal && (*reversal)[index]))
    return std::nullopt;
  int64_t least = std::min(sliding.elements, std::max<int64_t>(1, sliding.countRead()));
  return DimLink{
      DimLink::Kind::LongWindows, index, sliding, {{input, sliding.dilation, least}, {kernel, 1, sliding.length}}};
}

static std::optional<DimLink> findLink(stablehlo::ConvolutionOp op, DimRef dim) {
  for (unsigned index = 0; index < op.getDimensionNumbers().getInputSpatialDimensions().size(); ++index)
    if (std::optional<DimLink> link = linkConvolution(op, index); link && link->has(dim))
      return link;
  return std::nullopt;
}

/// Windows of one element each, one for each element: a batch, say.
static bool isSingle(const SlidingDim &sliding) {
  return sliding.length == 1 && sliding.stride == 1 && sliding.spread == 1 && sliding.low == 0 &&
         sliding.elements == sliding.windows;
}

static std::optional<DimLink> findLink(stablehlo::ReduceWindowOp op, DimRef dim) {
  auto index = static_cast<unsigned>(dim.dim);
  SlidingDim sliding{rules::getShape(op.getInputs().front())[index],
                     rules::getShape(op.getResult(0))[index],
                     op.getWindowDimensions()[index],
                     at(op.getWindowStrides(), index),
                     at(op.getWindowDilations(), index),
                     getLow(op.getPaddingAttr(), index),
                     at(op.getBaseDilations(), index)};
  // What lies behind the elements becomes init values.
  auto haveOneType = [](auto values) {
    return getElementTypeOrSelf(std::get<0>(values)) == getElementTypeOrSelf(std::get<1>(values));
  };
  if (isSingle(sliding) || !rules::combinesEach(op.getBody(), op.getInitValues()) ||
      !llvm::all_of(llvm::zip_equal(op.getInputs(), op.getInitValues()), haveOneType))
    return std::nullopt;
  SmallVector<DimRef> elements, windows;
  for (unsigned number = 0; number < op.getInputs().size(); ++number) {
    elements.push_back(ofOperand(number, dim.dim));
    windows.push_back(ofResult(number, dim.dim));
  }
  return linkWindows(index, sliding, elements, windows, /*needsAll=*/false);
}

/// Zeros are scattered from what lies behind the windows.
static std::optional<DimLink> findLink(stablehlo::SelectAndScatterOp op, DimRef dim) {
  auto index = static_cast<unsigned>(dim.dim);
  SlidingDim sliding{rules::getShape(op.getOperand())[index],
                     rules::getShape(op.getSource())[index],
                     at(op.getWindowDimensions(), index),
                     at(op.getWindowStrides(), index),
                     1,
                     getLow(op.getPaddingAttr(), index),
                     1};
  Combiner combiner = rules::findCombiner(op.getScatter());
  bool addsZeros = combiner == Combiner::Add || combiner == Combiner::Or || combiner == Combiner::Xor;
  // What lies around the elements must not be selected.
  if (isSingle(sliding) || !addsZeros || sliding.low != 0 || sliding.countRead() > sliding.elements)
    return std::nullopt;
  return linkWindows(index, sliding, {ofOperand(0, dim.dim), ofResult(0, dim.dim)}, ofOperand(1, dim.dim),
                     /*needsAll=*/true);
}

static std::optional<DimLink> linkRows(Operation *op, unsigned dim) {
  DimRef operand = ofOperand(0, dim), result = ofResult(0, dim);
  return DimLink{
      DimLink::Kind::Rows,
      dim,
      {},
      {{operand, 1, rules::getShape(op->getOperand(0))[dim]}, {result, 1, rules::getShape(op->getResult(0))[dim]}}};
}

static std::optional<DimLink> findLink(stablehlo::ReverseOp op, DimRef dim) {
  bool isReversed = llvm::is_contained(op.getDimensions(), static_cast<int64_t>(dim.dim));
  bool isSingle = rules::getShape(op.getResult())[dim.dim] < 2;
  return isReversed && !isSingle ? std::optional(linkRows(op, dim.dim)) : std::nullopt;
}

static std::optional<DimLink> findLink(stablehlo::SliceOp op, DimRef dim) {
  int64_t size = rules::getShape(op.getOperand())[dim.dim], result = rules::getShape(op.getResult())[dim.dim];
  int64_t start = op.getStartIndices()[dim.dim], stride = op.getStrides()[dim.dim];
  // One row of each block is a factor of its own.
  if (size == result || (stride > 1 && start < stride && size == result * stride))
    return std::nullopt;
  if (stride == 1)
    return linkRows(op, dim.dim);
  SlidingDim sliding{size, result, 1, stride, 1, -start, 1};
  return linkWindows(dim.dim, sliding, ofOperand(0, dim.dim), ofResult(0, dim.dim), /*needsAll=*/false);
}

static std::optional<DimLink> findLink(stablehlo::PadOp op, DimRef dim) {
  int64_t low = op.getEdgePaddingLow()[dim.dim], high = op.getEdgePaddingHigh()[dim.dim];
  int64_t interior = op.getInteriorPadding()[dim.dim];
  int64_t size = rules::getShape(op.getOperand())[dim.dim], result = rules::getShape(op.getResult())[dim.dim];
  if (isStageShift(op))
    return std::nullopt;
  if (interior == 0)
    return low != 0 || high != 0 ? linkRows(op, dim.dim) : std::nullopt;
  // Each row becomes the same block.
  if (low >= 0 && high >= 0 && low + high == interior)
    return std::nullopt;
  SlidingDim sliding{size, result, 1, 1, 1, low, interior + 1};
  return linkWindows(dim.dim, sliding, ofOperand(0, dim.dim), ofResult(0, dim.dim), /*needsAll=*/false);
}

/// Rows of all operands move, but for a single one: every device has that.
static std::optional<DimLink> findLink(stablehlo::ConcatenateOp op, DimRef dim) {
  // Each operand becomes a value of the result's size.
  constexpr int64_t mostOperands = 8;
  auto joined = static_cast<unsigned>(op.getDimension());
  DimLink link{DimLink::Kind::Rows, joined, {}, {}};
  int64_t numOperands = 0;
  for (unsigned number = 0; number < op.getInputs().size(); ++number) {
    int64_t size = rules::getShape(op.getInputs()[number])[joined];
    numOperands += size > 0;
    if (size > 1)
      link.ends.push_back({ofOperand(number, joined), 1, size});
  }
  if (numOperands < 2 || numOperands > mostOperands || link.ends.empty())
    return std::nullopt;
  link.ends.push_back({ofResult(0, joined), 1, rules::getShape(op.getResult())[joined]});
  return link.has(dim) ? std::optional(std::move(link)) : std::nullopt;
}

std::optional<DimLink> findDimLink(Operation *op, DimRef dim) {
  using Found = std::optional<DimLink>;
  bool isOfScalar = !dim.isResult && rules::getShape(op->getOperand(dim.value)).empty();
  if (isOfScalar)
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<stablehlo::ConvolutionOp, stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp, stablehlo::SliceOp,
            stablehlo::PadOp, stablehlo::ConcatenateOp, stablehlo::ReverseOp>(
          [&](auto found) { return findLink(found, dim); })
      .Default(Found());
}

} // namespace partita::padding
