//===- Broadcast.cpp - elementwise ops that broadcast their operands ------===//
//
// Operands are brought to the result's shape; then the op is the elementwise
// one of the same name.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Ops/Broadcast.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Evaluate/Arithmetic.h"
#include "partita/Evaluate/Ops/Choice.h"
#include "partita/Evaluate/Ops/Complex.h"
#include "partita/Evaluate/Ops/MathFunctions.h"
#include "partita/Evaluate/Ops/NextAfter.h"
#include "partita/Evaluate/Ops/Strided.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace partita::evaluate {

Tensor broadcast(const Tensor &operand, RankedTensorType type, ArrayRef<int64_t> dims) {
  Tensor result(type.clone(operand.getElementType()), operand.getMode());
  if (operand.size() == 1) {
    fill(result, operand);
    return result;
  }
  SmallVector<int64_t> strides = computeStrides(operand.getShape());
  Box repeated{0, SmallVector<int64_t>(type.getRank(), 0)};
  for (auto [from, to] : llvm::enumerate(dims))
    repeated.strides[to] = operand.getDim(from) == 1 ? 0 : strides[from];
  copyBox(result, getWhole(type.getShape()), operand, repeated, type.getShape());
  return result;
}

Tensor broadcastScalar(const Tensor &operand, RankedTensorType type) {
  return operand.getShape() == type.getShape() ? operand : broadcast(operand, type, {});
}

/// Brings an operand to the result's shape. Dims are aligned at the last one, unless `given` lists the result dims of
/// the operand of smaller rank. The other operand has all dims.
static void broadcastOperand(Call &call, unsigned index, RankedTensorType type,
                             std::optional<ArrayRef<int64_t>> given) {
  Tensor &operand = call.operands[index];
  if (operand.getShape() == type.getShape())
    return;
  int64_t rank = operand.getRank(), resultRank = type.getRank();
  auto aligned = llvm::to_vector(llvm::seq(resultRank - rank, resultRank));
  bool isPlaced = given && static_cast<int64_t>(given->size()) == rank && rank < resultRank;
  operand = broadcast(operand, type, isPlaced ? *given : ArrayRef<int64_t>(aligned));
}

template <typename OpT> static void broadcastOperands(OpT op, Call &call) {
  for (unsigned index = 0; index < 2; ++index)
    broadcastOperand(call, index, resultType(op), op.getBroadcastDimensions());
}

template <typename OpT, typename F> static Status evaluateBroadcast(OpT op, Call &call) {
  if (!isEvaluable(call.operands[0].getElementType()))
    return unsupportedElement(op, call.operands[0].getElementType());
  broadcastOperands(op, call);
  return evaluateElementwise<OpT, F>(op, call);
}

template <typename OpT, typename F> static void addBroadcast(OpTable &table) {
  table.add<OpT, evaluateBroadcast<OpT, F>>();
}

//===----------------------------------------------------------------------===//
// Ops whose result has an element type of its own
//===----------------------------------------------------------------------===//

static Status evaluateBroadcastCompare(chlo::BroadcastCompareOp op, Call &call) {
  if (!isEvaluable(call.operands[0].getElementType()))
    return unsupportedElement(op, call.operands[0].getElementType());
  broadcastOperands(op, call);
  // The enums of the two dialects have the same cases.
  auto direction = static_cast<stablehlo::ComparisonDirection>(op.getComparisonDirection());
  bool inTotalOrder = op.getCompareType() == chlo::ComparisonType::TOTALORDER;
  call.results.push_back(compare(call.operands[0], call.operands[1], direction, inTotalOrder, resultType(op)));
  return std::nullopt;
}

static Status evaluateBroadcastComplex(chlo::BroadcastComplexOp op, Call &call) {
  broadcastOperands(op, call);
  call.results.push_back(makeComplex(call.operands[0], call.operands[1], resultType(op)));
  return std::nullopt;
}

static Status evaluateBroadcastNextAfter(chlo::BroadcastNextAfterOp op, Call &call) {
  if (!isa<FloatType>(resultType(op).getElementType()))
    return unsupportedElement(op, resultType(op).getElementType());
  broadcastOperands(op, call);
  call.results.push_back(nextAfter(takeOperand(call, 0, resultType(op)), call.operands[1]));
  return std::nullopt;
}

static Status evaluateBroadcastSelect(chlo::BroadcastSelectOp op, Call &call) {
  for (unsigned index = 0; index < 3; ++index)
    broadcastOperand(call, index, resultType(op), std::nullopt);
  call.results.push_back(select(call.operands[0], takeOperand(call, 1, resultType(op)), call.operands[2]));
  return std::nullopt;
}

static Status evaluateConstantLike(chlo::ConstantLikeOp op, Call &call) {
  RankedTensorType type = resultType(op);
  if (!isEvaluable(type.getElementType()) || type.getElementType() != op.getValue().getType())
    return unsupportedElement(op, type.getElementType());
  Tensor value =
      makeConstant(DenseElementsAttr::get(RankedTensorType::get({}, type.getElementType()), op.getValue()), call.mode);
  call.results.push_back(broadcastScalar(value, type));
  return std::nullopt;
}

void registerBroadcast(OpTable &table) {
  addBroadcast<chlo::BroadcastAddOp, Add>(table);
  addBroadcast<chlo::BroadcastSubOp, Subtract>(table);
  addBroadcast<chlo::BroadcastMulOp, Multiply>(table);
  addBroadcast<chlo::BroadcastDivOp, Divide>(table);
  addBroadcast<chlo::BroadcastRemOp, Remainder>(table);
  addBroadcast<chlo::BroadcastMaxOp, Maximum>(table);
  addBroadcast<chlo::BroadcastMinOp, Minimum>(table);
  addBroadcast<chlo::BroadcastAndOp, And>(table);
  addBroadcast<chlo::BroadcastOrOp, Or>(table);
  addBroadcast<chlo::BroadcastXorOp, Xor>(table);
  addBroadcast<chlo::BroadcastShiftLeftOp, ShiftLeft>(table);
  addBroadcast<chlo::BroadcastShiftRightLogicalOp, ShiftRightLogical>(table);
  addBroadcast<chlo::BroadcastShiftRightArithmeticOp, ShiftRightArithmetic>(table);
  addBroadcast<chlo::BroadcastPowOp, Power>(table);
  addBroadcast<chlo::BroadcastAtan2Op, Atan2>(table);
  addBroadcast<chlo::BroadcastPolygammaOp, Polygamma>(table);
  addBroadcast<chlo::BroadcastZetaOp, Zeta>(table);
  table.add<chlo::BroadcastCompareOp, evaluateBroadcastCompare>();
  table.add<chlo::BroadcastComplexOp, evaluateBroadcastComplex>();
  table.add<chlo::BroadcastNextAfterOp, evaluateBroadcastNextAfter>();
  table.add<chlo::BroadcastSelectOp, evaluateBroadcastSelect>();
  table.add<chlo::ConstantLikeOp, evaluateConstantLike>();
}

} // namespace partita::evaluate
