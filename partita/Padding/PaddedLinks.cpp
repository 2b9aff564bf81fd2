//===- PaddedLinks.cpp - ops whose links become longer --------------------===//

#include "partita/Padding/PaddedLinks.h"

#include "partita/Program/Rules/LocalArithmetic.h"

#include <map>

using namespace mlir;

namespace partita::padding {

//===----------------------------------------------------------------------===//
// What must not be seen
//===----------------------------------------------------------------------===//

/// Whether the padding behind an end of the link shows.
static bool isSeen(Operation *op, const DimLink &link, const DimLink::End &end) {
  switch (link.kind) {
  case DimLink::Kind::Windows:
    // What is scattered from windows behind the last one would be added.
    return isa<stablehlo::SelectAndScatterOp>(op) ? end.dim.value == 1
                                                  : link.sliding.countRead() > link.sliding.elements;
  case DimLink::Kind::LongWindows:
    return true;
  case DimLink::Kind::Rows:
    // What a pad adds behind the elements are elements.
    auto pad = dyn_cast<stablehlo::PadOp>(op);
    return pad && pad.getEdgePaddingHigh()[link.index] > 0;
  }
  llvm_unreachable("a kind of link");
}

static std::optional<unsigned> findNeutral(Operation *op, unsigned operand) {
  if (isa<stablehlo::PadOp>(op))
    return 1;
  if (isa<stablehlo::ReduceWindowOp>(op))
    return op->getNumOperands() / 2 + operand;
  return std::nullopt;
}

std::vector<SeenPadding> findSeenPadding(const PaddedOp &padded) {
  std::map<unsigned, SmallVector<unsigned>> dims;
  for (const SizedLink &sized : padded.links)
    for (auto [end, size] : llvm::zip_equal(sized.link.ends, sized.sizes))
      if (!end.dim.isResult && isSeen(padded.op, sized.link, end) &&
          size > padded.operands[end.dim.value].shape[end.dim.dim])
        dims[end.dim.value].push_back(end.dim.dim);
  std::vector<SeenPadding> seen;
  for (auto &[operand, list] : dims)
    seen.push_back({operand, list, findNeutral(padded.op, operand)});
  return seen;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The link's windows with its new sizes: elements come first among its ends, windows last.
static SlidingDim resize(const SizedLink &sized) {
  SlidingDim sliding = sized.link.sliding;
  sliding.elements = sized.sizes.front();
  (sized.link.kind == DimLink::Kind::LongWindows ? sliding.length : sliding.windows) = sized.sizes.back();
  return sliding;
}

static void resizePad(stablehlo::PadOp pad, ArrayRef<SizedLink> links) {
  SmallVector<int64_t> high(pad.getEdgePaddingHigh());
  for (const SizedLink &sized : links) {
    unsigned dim = sized.link.index;
    high[dim] = sized.sizes.back() - sized.sizes.front() - pad.getEdgePaddingLow()[dim];
  }
  pad.setEdgePaddingHigh(high);
}

void resizeWindows(const PaddedOp &padded) {
  Operation *op = padded.op;
  if (padded.links.empty())
    return;
  if (auto pad = dyn_cast<stablehlo::PadOp>(op))
    return resizePad(pad, padded.links);
  if (!isa<stablehlo::ConvolutionOp, stablehlo::ReduceWindowOp, stablehlo::SelectAndScatterOp>(op))
    return;
  auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op);
  size_t count = convolution ? convolution.getDimensionNumbers().getInputSpatialDimensions().size()
                             : rules::getShape(op->getOperand(0)).size();
  SmallVector<int64_t> padding(2 * count, 0);
  if (auto given = op->getAttrOfType<DenseIntElementsAttr>("padding"))
    llvm::copy(given.getValues<int64_t>(), padding.begin());
  for (const SizedLink &sized : padded.links)
    padding[2 * size_t(sized.link.index) + 1] = resize(sized).getHigh();
  auto type = RankedTensorType::get({static_cast<int64_t>(count), 2}, IntegerType::get(op->getContext(), 64));
  op->setAttr("padding", DenseIntElementsAttr::get(type, padding));
}

Value extendSlice(stablehlo::SliceOp slice) {
  ArrayRef<int64_t> shape = rules::getShape(slice.getOperand());
  bool isInside = llvm::all_of(llvm::zip_equal(slice.getLimitIndices(), shape),
                               [](auto sizes) { return std::get<0>(sizes) <= std::get<1>(sizes); });
  if (isInside)
    return slice.getResult();
  OpBuilder builder(slice);
  SmallVector<int64_t> low, high, interior(shape.size(), 0);
  for (auto [start, limit, size] : llvm::zip_equal(slice.getStartIndices(), slice.getLimitIndices(), shape)) {
    low.push_back(-start);
    high.push_back(limit - size);
  }
  Value zero = rules::LocalArithmetic{builder, slice.getLoc()}.zero(slice.getOperand().getType());
  Value made = stablehlo::PadOp::create(builder, slice.getLoc(), slice.getResult().getType(), slice.getOperand(), zero,
                                        low, high, interior);
  slice.getResult().replaceAllUsesWith(made);
  slice.erase();
  return made;
}

} // namespace partita::padding
