//===- PaddingFills.cpp - what is known of the padding --------------------===//

#include "partita/Padding/PaddingFills.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::padding {

static Fill findFill(const APFloat &value) {
  return value.isZero() ? Fill::Zero : value.isFinite() ? Fill::Finite : Fill::Any;
}

/// Integers have no infinities.
static Fill limitByType(Fill fill, Value value) {
  return isa<IntegerType>(getElementTypeOrSelf(value)) ? std::min(fill, Fill::Finite) : fill;
}

Fill findFill(Value value) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return limitByType(Fill::Any, value);
  if (isa<FloatType>(constant.getElementType()))
    return findFill(constant.getSplatValue<APFloat>());
  if (isa<IntegerType>(constant.getElementType()))
    return constant.getSplatValue<APInt>().isZero() ? Fill::Zero : Fill::Finite;
  return Fill::Any;
}

/// What the operand has behind the end of the factor; of one without the factor, what it has anywhere.
static Fill findOperandFill(const PaddedValue &operand, const ValueFactors &factors, uint8_t factor) {
  for (auto [dim, dimFactors] : llvm::enumerate(factors))
    if (!dimFactors.empty() && dimFactors.front() == factor)
      return limitByType(operand.fills[dim], operand.value);
  return findFill(operand.value);
}

/// Integers become finite floats where the exponent is that of f32 or more.
static Fill convert(Fill fill, Value from, Value to) {
  auto target = dyn_cast<FloatType>(getElementTypeOrSelf(to));
  bool isWide = target && APFloat::semanticsMaxExponent(target.getFloatSemantics()) >= 127;
  if (fill == Fill::Zero || (isWide && isa<IntegerType>(getElementTypeOrSelf(from))))
    return fill;
  return Fill::Any;
}

static Fill multiply(Fill a, Fill b) {
  bool isZero = (a == Fill::Zero && b <= Fill::Finite) || (b == Fill::Zero && a <= Fill::Finite);
  return isZero ? Fill::Zero : Fill::Any;
}

static Fill computeReducedFill(stablehlo::ReduceOp op, unsigned result, Fill input, Fill init) {
  Combiner combiner = rules::findCombiner(op.getBody());
  bool keepsZero = combiner == Combiner::Add || combiner == Combiner::Maximum || combiner == Combiner::Minimum ||
                   combiner == Combiner::Or || combiner == Combiner::And;
  return keepsZero && input == Fill::Zero && init == Fill::Zero ? Fill::Zero : Fill::Any;
}

Fill computeFill(Operation *op, const Rule &rule, unsigned result, uint8_t factor, ArrayRef<PaddedValue> operands) {
  using namespace stablehlo;
  auto of = [&](unsigned operand) { return findOperandFill(operands[operand], rule.operands[operand], factor); };
  auto all = [&](unsigned first, unsigned end) {
    Fill fill = Fill::Zero;
    for (unsigned operand = first; operand < end; ++operand)
      fill = std::max(fill, of(operand));
    return fill;
  };
  auto keepZero = [](Fill fill) { return fill == Fill::Zero ? Fill::Zero : Fill::Any; };
  Fill fill =
      llvm::TypeSwitch<Operation *, Fill>(op)
          .Case([&](MulOp) { return multiply(of(0), of(1)); })
          .Case<AddOp, SubtractOp>([&](auto) { return keepZero(all(0, 2)); })
          .Case<NegOp, TransposeOp, ReshapeOp, BroadcastInDimOp, SliceOp, ReverseOp, sdy::ShardingConstraintOp>(
              [&](auto) { return of(0); })
          .Case([&](ConvertOp) { return convert(of(0), op->getOperand(0), op->getResult(0)); })
          .Case<AbsOp, TanhOp, SineOp, CosineOp, LogisticOp>([&](auto) { return std::max(of(0), Fill::Finite); })
          .Case<SqrtOp, SignOp, FloorOp, CeilOp>([&](auto) { return of(0) == Fill::Zero ? Fill::Finite : Fill::Any; })
          .Case([&](ExpOp) { return of(0) == Fill::Zero ? Fill::Finite : Fill::Any; })
          .Case<MaxOp, MinOp, PadOp, DynamicUpdateSliceOp>([&](auto) { return all(0, 2); })
          .Case([&](SelectOp) { return all(1, 3); })
          .Case([&](ConcatenateOp) { return all(0, operands.size()); })
          .Case([&](DynamicSliceOp) { return of(0); })
          .Case([&](OptimizationBarrierOp) { return of(result); })
          .Case([&](ReduceOp reduce) {
            return computeReducedFill(reduce, result, of(result), of(operands.size() / 2 + result));
          })
          .Case([&](IotaOp) { return Fill::Finite; })
          .Case([&](ConstantOp constant) { return findFill(constant.getResult()); })
          .Default(Fill::Any);
  return limitByType(fill, op->getResult(result));
}

} // namespace partita::padding
