//===- PaddedLinks.cpp - ops whose links become longer --------------------===//

#include "partita/Padding/PaddedLinks.h"

#include "partita/Program/Rules/LocalArithmetic.h"

#include "llvm/Support/MathExtras.h"

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
    int64_t spread = pad.getInteriorPadding()[dim] + 1;
    high[dim] = sized.sizes.back() - ((sized.sizes.front() - 1) * spread + 1) - pad.getEdgePaddingLow()[dim];
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

//===----------------------------------------------------------------------===//
// Ops that are written anew
//===----------------------------------------------------------------------===//

static Value replace(Operation *op, Value made) {
  op->getResult(0).replaceAllUsesWith(made);
  op->erase();
  return made;
}

/// Along a dim with a stride whole blocks move, and one row is taken of each.
static Value writeSlice(stablehlo::SliceOp slice) {
  auto type = cast<RankedTensorType>(slice.getOperand().getType());
  SmallVector<int64_t> starts(slice.getStartIndices()), limits(slice.getLimitIndices()), strides(slice.getStrides());
  bool isInside = llvm::all_of(llvm::zip_equal(limits, type.getShape()),
                               [](auto sizes) { return std::get<0>(sizes) <= std::get<1>(sizes); });
  if (isInside)
    return slice.getResult();
  SmallVector<int64_t> low, high, shape(type.getShape()), interior(shape.size(), 0);
  for (auto [start, limit, stride, size] : llvm::zip_equal(starts, limits, strides, shape)) {
    bool isMoved = stride == 1 || limit > size;
    int64_t first = isMoved ? start - start % stride : 0;
    int64_t end = isMoved ? first + llvm::divideCeilSigned(limit - start, stride) * stride : size;
    low.push_back(-first);
    high.push_back(end - size);
    start -= first;
    limit -= first;
    size = end - first;
  }
  OpBuilder builder(slice);
  Value zero = rules::LocalArithmetic{builder, slice.getLoc()}.zero(type);
  Value made = stablehlo::PadOp::create(builder, slice.getLoc(), type.clone(shape), slice.getOperand(), zero, low, high,
                                        interior);
  if (made.getType() != slice.getType())
    made = stablehlo::SliceOp::create(builder, slice.getLoc(), slice.getType(), made, starts, limits, strides);
  return replace(slice, made);
}

/// Blocks are as long as rows are apart. Where the first one does not begin with the result, they move by whole ones.
static Value writePad(stablehlo::PadOp pad, ArrayRef<SizedLink> links) {
  SmallVector<int64_t> low(pad.getEdgePaddingLow()), high(pad.getEdgePaddingHigh());
  SmallVector<int64_t> moveLow(low.size(), 0), moveHigh(low.size(), 0), none(low.size(), 0);
  bool isMoved = false;
  for (const SizedLink &sized : links) {
    unsigned dim = sized.link.index;
    int64_t block = pad.getInteriorPadding()[dim] + 1;
    if (block == 1)
      continue;
    moveLow[dim] = llvm::divideFloorSigned(low[dim], block) * block;
    moveHigh[dim] = -moveLow[dim];
    low[dim] += moveHigh[dim];
    high[dim] += moveLow[dim];
    isMoved |= moveLow[dim] != 0;
  }
  if (!isMoved)
    return pad.getResult();
  OpBuilder builder(pad);
  Value blocks = stablehlo::PadOp::create(builder, pad.getLoc(), pad.getType(), pad.getOperand(), pad.getPaddingValue(),
                                          low, high, pad.getInteriorPadding());
  return replace(pad, stablehlo::PadOp::create(builder, pad.getLoc(), pad.getType(), blocks, pad.getPaddingValue(),
                                               moveLow, moveHigh, none));
}

/// The operand's rows from row `offset` of a value of type `type` on.
static Value emitPlaced(OpBuilder &builder, Location loc, Value operand, RankedTensorType type, unsigned dim,
                        int64_t offset) {
  if (offset == 0 && operand.getType() == type)
    return operand;
  int64_t size = rules::getShape(operand)[dim];
  if (size == 1)
    return stablehlo::BroadcastInDimOp::create(builder, loc, type, operand,
                                               llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  SmallVector<int64_t> low(type.getRank(), 0), high(low), interior(low);
  low[dim] = offset;
  high[dim] = type.getDimSize(dim) - offset - size;
  Value zero = rules::LocalArithmetic{builder, loc}.zero(type);
  return stablehlo::PadOp::create(builder, loc, type, operand, zero, low, high, interior);
}

/// Only the padding of the last operand is the padding of the result. Behind others lie the rows of the next one.
static Value writeConcatenation(stablehlo::ConcatenateOp op, const PaddedOp &padded, int64_t &numMasks) {
  auto dim = static_cast<unsigned>(op.getDimension());
  RankedTensorType type = op.getType();
  int64_t total = 0, offset = 0;
  bool isPlain = true;
  for (const PaddedValue &operand : padded.operands) {
    int64_t size = rules::getShape(operand.value)[dim], rest = type.getDimSize(dim) - total;
    isPlain &= size == operand.shape[dim] || size == rest;
    total += size;
  }
  if (padded.links.empty() || (isPlain && total == type.getDimSize(dim)))
    return op.getResult();
  OpBuilder builder(op);
  Location loc = NameLoc::get(builder.getStringAttr("mask"), op.getLoc());
  Value made;
  for (const PaddedValue &operand : padded.operands) {
    if (operand.shape[dim] == 0)
      continue;
    Value placed = emitPlaced(builder, op.getLoc(), operand.value, type, dim, offset);
    if (made) {
      Value isBefore = emitIsBefore(builder, loc, type.getShape(), dim, offset);
      placed = stablehlo::SelectOp::create(builder, op.getLoc(), type, isBefore, made, placed);
      ++numMasks;
    }
    made = placed;
    offset += operand.shape[dim];
  }
  return replace(op, made);
}

/// In reverse order the padding comes first. Rows move over it, and what comes in behind them is padding again.
static Value writeReverse(stablehlo::ReverseOp reverse, const PaddedOp &padded) {
  if (padded.links.empty())
    return reverse.getResult();
  auto type = cast<RankedTensorType>(reverse.getType()),
       operand = cast<RankedTensorType>(reverse.getOperand().getType());
  SmallVector<int64_t> low(type.getRank(), 0), high(low), interior(low);
  for (const SizedLink &sized : padded.links) {
    int64_t elements = padded.operands[0].shape[sized.link.index];
    low[sized.link.index] = elements - sized.sizes.front();
    high[sized.link.index] = sized.sizes.back() - elements;
  }
  OpBuilder builder(reverse->getContext());
  builder.setInsertionPointAfter(reverse);
  reverse.getResult().setType(operand);
  Value zero = rules::LocalArithmetic{builder, reverse.getLoc()}.zero(operand);
  auto moved =
      stablehlo::PadOp::create(builder, reverse.getLoc(), type, reverse.getResult(), zero, low, high, interior);
  reverse.getResult().replaceAllUsesExcept(moved, moved);
  return moved;
}

Value writeLinks(const PaddedOp &padded, int64_t &numMasks) {
  if (auto reverse = dyn_cast<stablehlo::ReverseOp>(padded.op))
    return writeReverse(reverse, padded);
  if (auto slice = dyn_cast<stablehlo::SliceOp>(padded.op))
    return writeSlice(slice);
  if (auto pad = dyn_cast<stablehlo::PadOp>(padded.op))
    return writePad(pad, padded.links);
  if (auto concatenation = dyn_cast<stablehlo::ConcatenateOp>(padded.op))
    return writeConcatenation(concatenation, padded, numMasks);
  return padded.op->getResult(0);
}

} // namespace partita::padding
