//===- JoinPads.cpp - pads become the padding of windows ------------------===//
//
// Programs write `pad` before a convolution (flax's CAUSAL, frameworks that pad
// on one side alone) and before windows of sums (gradients of average pools):
//
//   %p = pad %x, 0, low = [3, 0], ...  : 48x8 -> 51x8
//   convolution(%p, ...)               : 51x8 -> 48x8
//
// A dim of 51 rows cannot be cut as one of 48 is. The op itself may pad, with
// zeros or with its init value, and XLA folds such pads as well. So they are
// joined: rules then see a convolution from 48 rows to 48.
//
// Elements between those of the operand (interior padding) become dilation.
// Bodies of manual computations stay as they are: they are local programs.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Import/Steps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace partita::stablehlo;

namespace partita::program::import {

bool mayTakePads(Operation *op) { return isa<ConvolutionOp, ReduceWindowOp>(op); }

namespace {

/// Padding and dilation of one dim of an operand.
struct DimPadding {
  int64_t low = 0, high = 0, dilation = 1;
};

} // namespace

/// The padding of a dim with what a pad of its operand adds; nothing for empty dims, if elements are cut off, or for
/// sizes beyond 64 bits.
static std::optional<DimPadding> join(const DimPadding &own, PadOp pad, unsigned dim) {
  DimPadding added{pad.getEdgePaddingLow()[dim], pad.getEdgePaddingHigh()[dim], pad.getInteriorPadding()[dim] + 1};
  DimPadding both = own;
  if (cast<RankedTensorType>(pad.getOperand().getType()).getDimSize(dim) < 1 || added.low < 0 || added.high < 0)
    return std::nullopt;
  auto addTo = [&](int64_t &side, int64_t rows) {
    int64_t positions = 0;
    return !llvm::MulOverflow(rows, own.dilation, positions) && !llvm::AddOverflow(side, positions, side);
  };
  if (!addTo(both.low, added.low) || !addTo(both.high, added.high) ||
      llvm::MulOverflow(own.dilation, added.dilation, both.dilation))
    return std::nullopt;
  return both;
}

static bool hasStaticShape(PadOp pad) {
  auto type = dyn_cast<RankedTensorType>(pad.getOperand().getType());
  return type && type.hasStaticShape() && isa<RankedTensorType>(pad.getType());
}

static bool isPadded(PadOp pad, unsigned dim) {
  return pad.getEdgePaddingLow()[dim] != 0 || pad.getEdgePaddingHigh()[dim] != 0 || pad.getInteriorPadding()[dim] != 0;
}

static DenseIntElementsAttr makePairs(Builder &builder, ArrayRef<DimPadding> dims) {
  SmallVector<int64_t> numbers;
  for (const DimPadding &dim : dims)
    numbers.append({dim.low, dim.high});
  return DenseIntElementsAttr::get(RankedTensorType::get({static_cast<int64_t>(dims.size()), 2}, builder.getI64Type()),
                                   numbers);
}

static SmallVector<int64_t> getDilations(ArrayRef<DimPadding> dims) {
  return llvm::map_to_vector(dims, [](const DimPadding &dim) { return dim.dilation; });
}

static SmallVector<DimPadding> readPadding(std::optional<DenseIntElementsAttr> padding,
                                           std::optional<ArrayRef<int64_t>> dilations, size_t rank) {
  SmallVector<DimPadding> dims(rank);
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (padding)
      dim = {padding->getValues<int64_t>()[2 * index], padding->getValues<int64_t>()[2 * index + 1]};
    if (dilations)
      dim.dilation = (*dilations)[index];
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// +0, or an integer zero: what a convolution pads with. JAX converts an integer.
static bool isPlusZero(Value value) {
  while (auto convert = value.getDefiningOp<ConvertOp>())
    value = convert.getOperand();
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (isa<FloatType>(constant.getElementType()))
    return constant.getSplatValue<APFloat>().isPosZero();
  return isa<IntegerType>(constant.getElementType()) && constant.getSplatValue<APInt>().isZero();
}

static void joinPad(ConvolutionOp op) {
  auto pad = op.getLhs().getDefiningOp<PadOp>();
  if (!pad || !hasStaticShape(pad) || !isPlusZero(pad.getPaddingValue()))
    return;
  ArrayRef<int64_t> spatial = op.getDimensionNumbers().getInputSpatialDimensions();
  auto rank = static_cast<unsigned>(cast<RankedTensorType>(pad.getType()).getRank());
  for (unsigned dim = 0; dim < rank; ++dim)
    if (isPadded(pad, dim) && !llvm::is_contained(spatial, static_cast<int64_t>(dim)))
      return;
  SmallVector<DimPadding> dims = readPadding(op.getPadding(), op.getLhsDilation(), spatial.size());
  for (auto [dim, padding] : llvm::zip_equal(spatial, dims)) {
    std::optional<DimPadding> both = join(padding, pad, dim);
    if (!both)
      return;
    padding = *both;
  }
  Builder builder(op);
  op.getLhsMutable().assign(pad.getOperand());
  op.setPaddingAttr(makePairs(builder, dims));
  op.setLhsDilation(getDilations(dims));
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The value itself, or what JAX broadcasts from a scalar to a scalar.
static Value skipBroadcasts(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  return value;
}

/// Whether both are one value, or constants with the same bits.
static bool areEqual(Value a, Value b) {
  a = skipBroadcasts(a), b = skipBroadcasts(b);
  DenseElementsAttr first, second;
  return a == b || (matchPattern(a, m_Constant(&first)) && matchPattern(b, m_Constant(&second)) && first == second);
}

static void joinPads(ReduceWindowOp op) {
  SmallVector<PadOp> pads;
  for (auto [input, init] : llvm::zip_equal(op.getInputs(), op.getInitValues())) {
    auto pad = input.getDefiningOp<PadOp>();
    if (!pad || !hasStaticShape(pad) || !areEqual(pad.getPaddingValue(), init))
      return;
    pads.push_back(pad);
  }
  auto isAlike = [&](PadOp pad) {
    return pad.getEdgePaddingLow() == pads.front().getEdgePaddingLow() &&
           pad.getEdgePaddingHigh() == pads.front().getEdgePaddingHigh() &&
           pad.getInteriorPadding() == pads.front().getInteriorPadding();
  };
  if (!llvm::all_of(pads, isAlike))
    return;
  SmallVector<DimPadding> dims = readPadding(op.getPadding(), op.getBaseDilations(), op.getWindowDimensions().size());
  for (auto [dim, padding] : llvm::enumerate(dims)) {
    std::optional<DimPadding> both = join(padding, pads.front(), dim);
    if (!both)
      return;
    padding = *both;
  }
  Builder builder(op);
  for (auto [number, pad] : llvm::enumerate(pads))
    op->setOperand(number, pad.getOperand());
  op.setPaddingAttr(makePairs(builder, dims));
  op.setBaseDilations(getDilations(dims));
}

void joinPads(ModuleOp module) {
  module.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op))
      return WalkResult::skip();
    if (auto convolution = dyn_cast<ConvolutionOp>(op))
      joinPad(convolution);
    else if (auto window = dyn_cast<ReduceWindowOp>(op))
      joinPads(window);
    return WalkResult::advance();
  });
}

} // namespace partita::program::import
