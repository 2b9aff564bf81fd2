//===- Shape.cpp - ops that move data, and iota ---------------------------===//
//
// Each op copies a box of its operand to a box of its result (Strided.h).
// Elements do not change, in either mode.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Strided.h"

#include <algorithm>

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// Without operands
//===----------------------------------------------------------------------===//

/// Numbers 0, 1, ... as elements of `type`, which has rank 1.
static Tensor buildCounts(RankedTensorType type, Mode mode) {
  Tensor counts(type, mode);
  Type element = type.getElementType();
  auto assign = [&]<typename T>(T *, auto convert) {
    for (auto [index, value] : llvm::enumerate(counts.edit<T>()))
      value = convert(index);
  };
  switch (counts.getKind()) {
  case StorageKind::Bool:
    assign(static_cast<uint8_t *>(nullptr), [](size_t index) { return index & 1; });
    break;
  case StorageKind::Signed:
    assign(static_cast<int64_t *>(nullptr),
           [width = getIntegerWidth(element)](size_t index) { return wrapSigned(index, width); });
    break;
  case StorageKind::Unsigned:
    assign(static_cast<uint64_t *>(nullptr),
           [width = getIntegerWidth(element)](size_t index) { return wrapUnsigned(index, width); });
    break;
  case StorageKind::Float:
    assign(static_cast<float *>(nullptr), [round = FloatRounder(element)](size_t index) { return round(index); });
    break;
  case StorageKind::RingComplex:
    assign(static_cast<RingPair *>(nullptr), [](size_t index) { return RingPair{index, 0}; });
    break;
  case StorageKind::Ring:
  case StorageKind::Double:
  case StorageKind::Complex64:
  case StorageKind::Complex128:
    visitKind(counts.getKind(), [&]<typename T>(T *kind) {
      if constexpr (!std::is_same_v<T, RingPair>)
        assign(kind, [](size_t index) { return T(index); });
    });
    break;
  }
  return counts;
}

/// result[..., i, ...] = i, where i stands in the iota dim.
static Status evaluateIota(stablehlo::IotaOp op, Call &call) {
  RankedTensorType type = resultType(op);
  int64_t dim = op.getIotaDimension();
  Tensor counts = buildCounts(RankedTensorType::get(type.getDimSize(dim), type.getElementType()), call.mode);
  Tensor result(type, call.mode);
  Box box{0, SmallVector<int64_t>(type.getRank(), 0)};
  box.strides[dim] = 1;
  copyBox(result, getWhole(type.getShape()), counts, box, type.getShape());
  call.results.push_back(std::move(result));
  return std::nullopt;
}

static Status evaluateGetDimensionSize(stablehlo::GetDimensionSizeOp op, Call &call) {
  Tensor result(resultType(op), call.mode);
  result.edit<int64_t>()[0] = wrapSigned(call.operands[0].getDim(op.getDimension()), 32);
  call.results.push_back(std::move(result));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Another shape or order
//===----------------------------------------------------------------------===//

/// Results whose every element is `box`'s element of the operand.
static Status readBox(Operation *op, Call &call, const Box &box) {
  Tensor result(resultType(op), call.mode);
  copyBox(result, getWhole(result.getShape()), call.operands[0], box, result.getShape());
  call.results.push_back(std::move(result));
  return std::nullopt;
}

static Status evaluateReshape(stablehlo::ReshapeOp op, Call &call) {
  call.results.push_back(call.operands[0].withType(resultType(op)));
  return std::nullopt;
}

/// The operand's dim i is the result's dim dims[i]; one of size 1 is repeated.
static Status evaluateBroadcastInDim(stablehlo::BroadcastInDimOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Box box{0, SmallVector<int64_t>(resultType(op).getRank(), 0)};
  SmallVector<int64_t> strides = computeStrides(operand.getShape());
  for (auto [dim, resultDim] : llvm::enumerate(op.getBroadcastDimensions()))
    if (operand.getDim(dim) != 1)
      box.strides[resultDim] = strides[dim];
  return readBox(op, call, box);
}

/// New dims in front.
static Status evaluateBroadcast(stablehlo::BroadcastOp op, Call &call) {
  Box box = getWhole(call.operands[0].getShape());
  box.strides.insert(box.strides.begin(), op.getBroadcastSizes().size(), 0);
  return readBox(op, call, box);
}

/// The result's dim i is the operand's dim permutation[i].
static Status evaluateTranspose(stablehlo::TransposeOp op, Call &call) {
  SmallVector<int64_t> strides = computeStrides(call.operands[0].getShape());
  Box box;
  for (int64_t dim : op.getPermutation())
    box.strides.push_back(strides[dim]);
  return readBox(op, call, box);
}

static Status evaluateReverse(stablehlo::ReverseOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Box box = getWhole(operand.getShape());
  for (int64_t dim : op.getDimensions()) {
    box.offset += (operand.getDim(dim) - 1) * box.strides[dim];
    box.strides[dim] = -box.strides[dim];
  }
  return readBox(op, call, box);
}

//===----------------------------------------------------------------------===//
// Parts and wholes
//===----------------------------------------------------------------------===//

static Status evaluateConcatenate(stablehlo::ConcatenateOp op, Call &call) {
  Tensor result(resultType(op), call.mode);
  SmallVector<int64_t> starts(result.getRank(), 0);
  for (const Tensor &input : call.operands) {
    copyBox(result, getSlice(result.getShape(), starts), input, getWhole(input.getShape()), input.getShape());
    starts[op.getDimension()] += input.getDim(op.getDimension());
  }
  call.results.push_back(std::move(result));
  return std::nullopt;
}

static Status evaluateSlice(stablehlo::SliceOp op, Call &call) {
  return readBox(op, call, getSlice(call.operands[0].getShape(), op.getStartIndices(), op.getStrides()));
}

namespace {

/// What `pad` does to one dim: operand element begin + i goes to start + i*step, for i < size.
struct PaddingOfDim {
  int64_t begin, start, step, size;
};

} // namespace

/// Element i goes to low + i*(1 + interior), if that lies in [0, resultSize).
static PaddingOfDim getPaddedDim(int64_t operandSize, int64_t low, int64_t interior, int64_t resultSize) {
  // Unsigned: low + high may fit where neither does.
  uint64_t step = static_cast<uint64_t>(interior) + 1, distance = -static_cast<uint64_t>(low);
  uint64_t begin = low < 0 ? (distance - 1) / step + 1 : 0;
  uint64_t end = low < resultSize ? (resultSize + distance - 1) / step + 1 : 0;
  end = std::min<uint64_t>(end, operandSize);
  if (begin >= end)
    return {0, 0, 1, 0};
  return {static_cast<int64_t>(begin), static_cast<int64_t>(low + begin * step), static_cast<int64_t>(step),
          static_cast<int64_t>(end - begin)};
}

/// Elements are moved apart; what falls outside is dropped, holes are the padding value.
static Status evaluatePad(stablehlo::PadOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Tensor result(resultType(op), call.mode);
  fill(result, call.operands[1]);
  SmallVector<int64_t> from, to, steps, sizes;
  for (int64_t dim = 0; dim < operand.getRank(); ++dim) {
    PaddingOfDim padded = getPaddedDim(operand.getDim(dim), op.getEdgePaddingLow()[dim], op.getInteriorPadding()[dim],
                                       result.getDim(dim));
    from.push_back(padded.begin);
    to.push_back(padded.start);
    steps.push_back(padded.step);
    sizes.push_back(padded.size);
  }
  copyBox(result, getSlice(result.getShape(), to, steps), operand, getSlice(operand.getShape(), from), sizes);
  call.results.push_back(std::move(result));
  return std::nullopt;
}

/// Start indices, moved so that a slice of `sizes` lies within `shape`.
static SmallVector<int64_t> clampStarts(ArrayRef<Tensor> indices, ArrayRef<int64_t> shape, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> starts;
  for (auto [dim, index] : llvm::enumerate(indices))
    starts.push_back(std::clamp<int64_t>(readIndex(index, 0), 0, shape[dim] - sizes[dim]));
  return starts;
}

static Status evaluateDynamicSlice(stablehlo::DynamicSliceOp op, Call &call) {
  ArrayRef<int64_t> shape = call.operands[0].getShape();
  SmallVector<int64_t> starts = clampStarts(call.operands.drop_front(), shape, op.getSliceSizes());
  return readBox(op, call, getSlice(shape, starts));
}

static Status evaluateDynamicUpdateSlice(stablehlo::DynamicUpdateSliceOp op, Call &call) {
  const Tensor &update = call.operands[1];
  Tensor result = std::move(call.operands[0]);
  SmallVector<int64_t> starts = clampStarts(call.operands.drop_front(2), result.getShape(), update.getShape());
  copyBox(result, getSlice(result.getShape(), starts), update, getWhole(update.getShape()), update.getShape());
  call.results.push_back(result.withType(resultType(op)));
  return std::nullopt;
}

void registerShape(OpTable &table) {
  table.add<stablehlo::IotaOp, evaluateIota>();
  table.add<stablehlo::GetDimensionSizeOp, evaluateGetDimensionSize>();
  table.add<stablehlo::ReshapeOp, evaluateReshape>();
  table.add<stablehlo::BroadcastInDimOp, evaluateBroadcastInDim>();
  table.add<stablehlo::BroadcastOp, evaluateBroadcast>();
  table.add<stablehlo::TransposeOp, evaluateTranspose>();
  table.add<stablehlo::ReverseOp, evaluateReverse>();
  table.add<stablehlo::ConcatenateOp, evaluateConcatenate>();
  table.add<stablehlo::SliceOp, evaluateSlice>();
  table.add<stablehlo::PadOp, evaluatePad>();
  table.add<stablehlo::DynamicSliceOp, evaluateDynamicSlice>();
  table.add<stablehlo::DynamicUpdateSliceOp, evaluateDynamicUpdateSlice>();
}

} // namespace partita::evaluate
