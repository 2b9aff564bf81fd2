//===- Indexing.cpp - gather, and registration of the family --------------===//

#include "partita/Evaluate/Ops/Indexing.h"

#include "partita/Dialect/StableHlo/ShapeOps.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/IndexedWindows.h"

#include <algorithm>

using namespace mlir;

namespace partita::evaluate {

/// Each index vector says where a window of the operand begins; windows that would reach over the edge are moved
/// inside.
static Status evaluateGather(stablehlo::GatherOp op, Call &call) {
  const Tensor &operand = call.operands[0], &indices = call.operands[1];
  Tensor result(resultType(op), call.mode);
  if (result.size() > operand.size() && operand.size() == 0)
    return Error::unsupported({}, "gather takes elements of a tensor that has none");
  IndexedWindows windows(stablehlo::getIndexedDims(op.getDimensionNumbers()), operand.getShape(), indices.getShape(),
                         result.getShape(), op.getSliceSizes(), WindowDirection::ToSlices);
  if (result.size() > 0)
    for (BoxWalk walk = windows.walk(); walk.isInside(); walk.next())
      copyPair(windows.getBoxes(), result, walk.offset(IndexedWindows::Slices), operand,
               windows.findClamped(walk, indices));
  call.results.push_back(std::move(result));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// torch_index_select
//===----------------------------------------------------------------------===//

/// The dialect does not check this op: [outer, dim, inner] with the index's own dims in place of `dim`.
static bool isValid(stablehlo::TorchIndexSelectOp op, const Tensor &operand, const Tensor &index) {
  int64_t dim = op.getDim(), batch = op.getBatchDims();
  bool isInRange = dim >= 0 && dim < operand.getRank() && batch >= 0 && batch <= dim && batch <= index.getRank();
  if (!isInRange || !isa<IntegerType>(index.getElementType()) ||
      operand.getShape().take_front(batch) != index.getShape().take_front(batch))
    return false;
  SmallVector<int64_t> shape(operand.getShape().take_front(dim));
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, operand.getShape().drop_front(dim + 1));
  return resultType(op) == RankedTensorType::get(shape, operand.getElementType());
}

/// result[batch, outer, i, inner] = operand[batch, outer, index[batch, i], inner], the index moved into its range.
static Status evaluateTorchIndexSelect(stablehlo::TorchIndexSelectOp op, Call &call) {
  const Tensor &operand = call.operands[0], &index = call.operands[1];
  if (!isValid(op, operand, index))
    return Error::unsupported({}, "torch_index_select has operands that do not fit together");
  ArrayRef<int64_t> shape = operand.getShape();
  int64_t dim = op.getDim(), size = shape[dim];
  int64_t batches = stablehlo::countElements(shape.take_front(op.getBatchDims()));
  int64_t outer = stablehlo::countElements(shape.slice(op.getBatchDims(), dim - op.getBatchDims()));
  int64_t inner = stablehlo::countElements(shape.drop_front(dim + 1));
  Tensor result(resultType(op), call.mode);
  if (result.size() > 0 && size == 0)
    return Error::unsupported({}, "torch_index_select takes elements of a tensor that has none");
  int64_t picks = result.size() == 0 ? 0 : index.size() / batches;
  BoxPair box({inner}, {1}, {1});
  for (int64_t batch = 0, to = 0; picks > 0 && batch < batches; ++batch)
    for (int64_t from = batch * outer; from < (batch + 1) * outer; ++from)
      for (int64_t pick = 0; pick < picks; ++pick, to += inner) {
        int64_t at = std::clamp<int64_t>(readIndex(index, batch * picks + pick), 0, size - 1);
        copyPair(box, result, to, operand, (from * size + at) * inner);
      }
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerIndexing(OpTable &table) {
  table.add<stablehlo::GatherOp, evaluateGather>();
  table.add<stablehlo::TorchIndexSelectOp, evaluateTorchIndexSelect>();
  table.add<stablehlo::ScatterOp, evaluateScatter>();
  table.add<stablehlo::SelectAndScatterOp, evaluateSelectAndScatter>();
}

} // namespace partita::evaluate
