//===- LoopAffine.cpp - integers that are affine in the iteration ---------===//

#include "partita/Program/LoopAffine.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program {

//===----------------------------------------------------------------------===//
// Where values come from
//===----------------------------------------------------------------------===//

std::pair<stablehlo::WhileOp, unsigned> findCarried(Value argument) {
  auto blockArgument = dyn_cast<BlockArgument>(argument);
  if (!blockArgument)
    return {};
  auto loop = dyn_cast_or_null<stablehlo::WhileOp>(blockArgument.getOwner()->getParentOp());
  return {loop, blockArgument.getArgNumber()};
}

/// Bounds the search: following values through nested loops must end soon.
static constexpr unsigned maxSteps = 512;

/// The operand that an op passes on unchanged as `result`; null if it does something to it.
static Value getPassedOn(OpResult result) {
  Operation *op = result.getOwner();
  if (auto barrier = dyn_cast<stablehlo::OptimizationBarrierOp>(op))
    return barrier.getOperand()[result.getResultNumber()];
  if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp>(op))
    return op->getOperand(0);
  return {};
}

static bool hasOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

static bool isInvariant(stablehlo::WhileOp loop, unsigned index, unsigned &stepsLeft) {
  Block &body = loop.getBody().front();
  // Following an argument out of the loop would end at the loop's operand; this needs the argument itself.
  Value argument = body.getArgument(index);
  Value value = body.getTerminator()->getOperand(index);
  while (value != argument && stepsLeft > 0) {
    --stepsLeft;
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    if (Value passed = getPassedOn(result)) {
      value = passed;
      continue;
    }
    // Of one element, reshapes leave nothing to reorder, and the argument's own shape comes back at the end.
    if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(result.getOwner()); reshape && hasOneElement(value)) {
      value = reshape.getOperand();
      continue;
    }
    auto inner = dyn_cast<stablehlo::WhileOp>(result.getOwner());
    if (!inner || !isInvariant(inner, result.getResultNumber(), stepsLeft))
      return false;
    value = inner.getOperand()[result.getResultNumber()];
  }
  return value == argument;
}

/// One step towards the origin of `value`, null if it is the origin.
static Value stepBack(Value value, unsigned &stepsLeft) {
  if (auto [loop, index] = findCarried(value); loop)
    return isInvariant(loop, index, stepsLeft) ? loop.getOperand()[index] : Value();
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (Value passed = getPassedOn(result))
    return passed;
  unsigned index = result.getResultNumber();
  if (auto loop = dyn_cast<stablehlo::WhileOp>(result.getOwner()))
    return isInvariant(loop, index, stepsLeft) ? loop.getOperand()[index] : Value();
  return {};
}

Value findOrigin(Value value) {
  unsigned stepsLeft = maxSteps;
  while (stepsLeft > 0) {
    --stepsLeft;
    Value previous = stepBack(value, stepsLeft);
    if (!previous)
      break;
    value = previous;
  }
  return value;
}

bool isInvariant(stablehlo::WhileOp loop, unsigned index) {
  unsigned stepsLeft = maxSteps;
  return isInvariant(loop, index, stepsLeft);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

std::optional<int64_t> Affine::at(int64_t k) const {
  int64_t product, sum;
  if (llvm::MulOverflow(k, slope, product) || llvm::AddOverflow(base, product, sum))
    return std::nullopt;
  return sum;
}

static std::optional<Affine> add(Affine a, Affine b) {
  Affine sum;
  if (llvm::AddOverflow(a.base, b.base, sum.base) || llvm::AddOverflow(a.slope, b.slope, sum.slope))
    return std::nullopt;
  return sum;
}

static std::optional<Affine> subtract(Affine a, Affine b) {
  Affine difference;
  if (llvm::SubOverflow(a.base, b.base, difference.base) || llvm::SubOverflow(a.slope, b.slope, difference.slope))
    return std::nullopt;
  return difference;
}

static std::optional<Affine> multiply(Affine a, Affine b) {
  if (!a.isConstant())
    std::swap(a, b);
  Affine product;
  if (!a.isConstant() || llvm::MulOverflow(a.base, b.base, product.base) ||
      llvm::MulOverflow(a.base, b.slope, product.slope))
    return std::nullopt;
  return product;
}

/// The integer type of the only element of `type`, null if it is something else.
static IntegerType getOnlyInteger(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || llvm::any_of(tensor.getShape(), [](int64_t size) { return size != 1; }))
    return {};
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  return integer && integer.getWidth() <= 64 ? integer : IntegerType();
}

/// Booleans are 0 and 1; integers without a sign in their type are signed.
static bool isUnsigned(IntegerType type) { return type.isUnsigned() || type.getWidth() == 1; }

static bool isInRange(int64_t number, IntegerType type) {
  unsigned width = type.getWidth();
  if (isUnsigned(type))
    return number >= 0 && (width == 64 || llvm::isUIntN(width, number));
  return width == 64 || llvm::isIntN(width, number);
}

bool AffineEvaluator::fits(Affine affine, Type type) {
  IntegerType integer = getOnlyInteger(type);
  std::optional<int64_t> first = affine.at(0), last = affine.at(domain.last);
  return integer && first && last && isInRange(*first, integer) && isInRange(*last, integer);
}

std::optional<bool> AffineEvaluator::isAtMost(Affine a, Affine b) {
  std::optional<Affine> difference = subtract(a, b);
  if (!difference)
    return std::nullopt;
  std::optional<int64_t> first = difference->at(0), last = difference->at(domain.last);
  if (!first || !last || (*first <= 0) != (*last <= 0))
    return std::nullopt;
  return *first <= 0;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static std::optional<Affine> readConstant(ElementsAttr value) {
  auto elements = dyn_cast<DenseIntElementsAttr>(value);
  IntegerType type = getOnlyInteger(value.getType());
  if (!elements || !type || elements.empty())
    return std::nullopt;
  APInt number = *elements.value_begin<APInt>();
  bool fits64 = isUnsigned(type) ? number.getActiveBits() <= 63 : number.getSignificantBits() <= 64;
  if (!fits64)
    return std::nullopt;
  return Affine{isUnsigned(type) ? static_cast<int64_t>(number.getZExtValue()) : number.getSExtValue(), 0};
}

static Affine makeBool(bool value) { return {value ? 1 : 0, 0}; }

bool comparesBySign(stablehlo::CompareOp op) {
  IntegerType type = getOnlyInteger(op.getLhs().getType());
  using Order = stablehlo::ComparisonType;
  Order order = op.getCompareType().value_or(Order::NOTYPE);
  return type && (order == Order::NOTYPE || order == (isUnsigned(type) ? Order::UNSIGNED : Order::SIGNED));
}

std::optional<Affine> AffineEvaluator::computeCompare(stablehlo::CompareOp op, unsigned depth) {
  std::optional<Affine> lhs = evaluate(op.getLhs(), depth), rhs = evaluate(op.getRhs(), depth);
  if (!lhs || !rhs || !comparesBySign(op))
    return std::nullopt;
  std::optional<bool> atMost = isAtMost(*lhs, *rhs), atLeast = isAtMost(*rhs, *lhs);
  using Direction = stablehlo::ComparisonDirection;
  switch (op.getComparisonDirection()) {
  case Direction::LE:
    return atMost ? std::optional(makeBool(*atMost)) : std::nullopt;
  case Direction::GT:
    return atMost ? std::optional(makeBool(!*atMost)) : std::nullopt;
  case Direction::GE:
    return atLeast ? std::optional(makeBool(*atLeast)) : std::nullopt;
  case Direction::LT:
    return atLeast ? std::optional(makeBool(!*atLeast)) : std::nullopt;
  case Direction::EQ:
  case Direction::NE:
    break;
  }
  if (!atMost || !atLeast)
    return std::nullopt;
  bool isEqual = *atMost && *atLeast;
  return makeBool(isEqual == (op.getComparisonDirection() == Direction::EQ));
}

/// For ops that give one of their operands. The choice must be the same for all k.
std::optional<Affine> AffineEvaluator::computeChoice(Operation *op, ArrayRef<Affine> operands) {
  auto smaller = [&](Affine a, Affine b) -> std::optional<Affine> {
    std::optional<bool> isFirst = isAtMost(a, b), isSecond = isAtMost(b, a);
    if (isFirst && *isFirst)
      return a;
    return isSecond && *isSecond ? std::optional(b) : std::nullopt;
  };
  auto larger = [&](Affine a, Affine b) -> std::optional<Affine> {
    std::optional<Affine> other = smaller(a, b);
    return other ? std::optional(*other == a ? b : a) : std::nullopt;
  };
  if (isa<stablehlo::MinOp>(op))
    return smaller(operands[0], operands[1]);
  if (isa<stablehlo::MaxOp>(op))
    return larger(operands[0], operands[1]);
  if (isa<stablehlo::ClampOp>(op)) {
    std::optional<Affine> raised = larger(operands[0], operands[1]);
    return raised ? smaller(*raised, operands[2]) : std::nullopt;
  }
  if (isa<stablehlo::SelectOp>(op) && operands[0].isConstant())
    return operands[0].base ? operands[1] : operands[2];
  return std::nullopt;
}

/// `a mod b` where it is `a` itself.
static bool isReduced(Affine a, Affine b, Iterations domain) {
  std::optional<int64_t> first = a.at(0), last = a.at(domain.last);
  return b.isConstant() && first && last && std::min(*first, *last) >= 0 && std::max(*first, *last) < b.base;
}

std::optional<Affine> AffineEvaluator::compute(Operation *op, unsigned depth) {
  if (auto constant = dyn_cast<stablehlo::ConstantOp>(op))
    return readConstant(constant.getValue());
  if (auto constant = dyn_cast<sdy::ConstantOp>(op))
    return readConstant(constant.getValue());
  if (auto compare = dyn_cast<stablehlo::CompareOp>(op))
    return computeCompare(compare, depth);
  // A choice needs only the chosen value. The other one may be unknown and then counts as zero.
  auto select = dyn_cast<stablehlo::SelectOp>(op);
  SmallVector<Affine, 3> operands;
  for (Value operand : op->getOperands()) {
    bool isUnneeded = select && !operands.empty() && operands[0].isConstant() &&
                      operand == (operands[0].base ? select.getOnFalse() : select.getOnTrue()) &&
                      select.getOnTrue() != select.getOnFalse();
    std::optional<Affine> value = isUnneeded ? std::optional(Affine()) : evaluate(operand, depth);
    if (!value)
      return std::nullopt;
    operands.push_back(*value);
  }
  return llvm::TypeSwitch<Operation *, std::optional<Affine>>(op)
      .Case<stablehlo::ConvertOp, stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>([&](auto) { return operands[0]; })
      .Case<stablehlo::AddOp>([&](auto) { return add(operands[0], operands[1]); })
      .Case<stablehlo::SubtractOp>([&](auto) { return subtract(operands[0], operands[1]); })
      .Case<stablehlo::MulOp>([&](auto) { return multiply(operands[0], operands[1]); })
      .Case<stablehlo::NegOp>([&](auto) { return subtract(Affine(), operands[0]); })
      .Case<stablehlo::RemOp>([&](auto) -> std::optional<Affine> {
        return isReduced(operands[0], operands[1], domain) ? std::optional(operands[0]) : std::nullopt;
      })
      .Case<stablehlo::MinOp, stablehlo::MaxOp, stablehlo::ClampOp, stablehlo::SelectOp>(
          [&](auto) { return computeChoice(op, operands); })
      .Default(std::nullopt);
}

/// Ops that `compute` knows. The operands of others need not be evaluated.
static bool isIndexArithmetic(Operation *op) {
  return isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::CompareOp, stablehlo::ConvertOp, stablehlo::ReshapeOp,
             stablehlo::BroadcastInDimOp, stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::MulOp, stablehlo::NegOp,
             stablehlo::RemOp, stablehlo::MinOp, stablehlo::MaxOp, stablehlo::ClampOp, stablehlo::SelectOp>(op);
}

std::optional<Affine> AffineEvaluator::evaluate(Value value, unsigned depth) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  if (depth == 0 || !getOnlyInteger(value.getType()))
    return std::nullopt;
  Value origin = findOrigin(value);
  std::optional<Affine> result;
  if (auto it = known.find(origin); it != known.end())
    result = it->second;
  else if (Operation *op = origin.getDefiningOp(); op && isIndexArithmetic(op))
    result = compute(op, depth - 1);
  if (result && !fits(*result, value.getType()))
    result = std::nullopt;
  // A value that is unknown only because of its depth is cached too, which is safe.
  known[value] = result;
  return result;
}

SmallVector<std::optional<Affine>> AffineEvaluator::evaluateElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()))
    return {};
  if (type.getNumElements() == 1)
    return {evaluate(value)};
  if (type.getRank() != 1)
    return {};
  auto concatenate = findOrigin(value).getDefiningOp<stablehlo::ConcatenateOp>();
  if (!concatenate)
    return {};
  SmallVector<std::optional<Affine>> elements;
  for (Value part : concatenate.getInputs()) {
    auto partType = cast<RankedTensorType>(part.getType());
    if (partType.getNumElements() != 1)
      return {};
    elements.push_back(evaluate(part));
  }
  return elements;
}

} // namespace partita::program
