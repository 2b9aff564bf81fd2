//===- Combiners.cpp - which combiner a region computes -------------------===//

#include "partita/Program/Rules/Combiners.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <complex>

using namespace mlir;

namespace partita::program::rules {

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// What the op is on elements of a type where it has its usual meaning.
static Combiner getPlainCombiner(Operation *op) {
  return llvm::TypeSwitch<Operation *, Combiner>(op)
      .Case<stablehlo::AddOp>([](auto) { return Combiner::Add; })
      .Case<stablehlo::MulOp>([](auto) { return Combiner::Multiply; })
      .Case<stablehlo::MaxOp>([](auto) { return Combiner::Maximum; })
      .Case<stablehlo::MinOp>([](auto) { return Combiner::Minimum; })
      .Case<stablehlo::AndOp>([](auto) { return Combiner::And; })
      .Case<stablehlo::OrOp>([](auto) { return Combiner::Or; })
      .Case<stablehlo::XorOp>([](auto) { return Combiner::Xor; })
      .Default(Combiner::None);
}

static Combiner getBoolCombiner(Combiner plain) {
  switch (plain) {
  case Combiner::Add:
  case Combiner::Maximum:
    return Combiner::Or;
  case Combiner::Multiply:
  case Combiner::Minimum:
    return Combiner::And;
  default:
    return plain;
  }
}

static Combiner getCombiner(Operation *op) {
  Combiner plain = getPlainCombiner(op);
  if (plain == Combiner::None)
    return plain;
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (type.isInteger(1))
    return getBoolCombiner(plain);
  if (isa<ComplexType>(type))
    return plain == Combiner::Add ? plain : Combiner::None;
  return isa<IntegerType, FloatType>(type) ? plain : Combiner::None;
}

/// Whether `to` has every value of `from`, in the same order.
static bool isWidening(Type from, Type to) {
  auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
  if (fromFloat && toFloat)
    return APFloat::isRepresentableBy(fromFloat.getFloatSemantics(), toFloat.getFloatSemantics());
  auto fromInt = dyn_cast<IntegerType>(from), toInt = dyn_cast<IntegerType>(to);
  if (!fromInt || !toInt || fromInt.getWidth() == 1)
    return false;
  return toInt.getWidth() > fromInt.getWidth() && (fromInt.isUnsigned() || !toInt.isUnsigned());
}

/// The operand of a widening convert; `value` itself if there is none.
static Value skipWidening(Value value) {
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  if (!convert)
    return value;
  Value source = convert.getOperand();
  return isWidening(getElementTypeOrSelf(source), getElementTypeOrSelf(value)) ? source : value;
}

/// The value before it was converted back to the narrow type of `value`.
static Value skipNarrowing(Value value) {
  auto convert = value.getDefiningOp<stablehlo::ConvertOp>();
  if (!convert)
    return value;
  Value source = convert.getOperand();
  return isWidening(getElementTypeOrSelf(value), getElementTypeOrSelf(source)) ? source : value;
}

/// The combiner that computes `returned` from `accumulator` and `element`.
static Combiner findCombiner(Value returned, Value accumulator, Value element) {
  if (getElementTypeOrSelf(returned) != getElementTypeOrSelf(accumulator))
    return Combiner::None;
  Operation *op = skipNarrowing(returned).getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return Combiner::None;
  Value lhs = skipWidening(op->getOperand(0)), rhs = skipWidening(op->getOperand(1));
  bool isOfBoth = (lhs == accumulator && rhs == element) || (lhs == element && rhs == accumulator);
  return isOfBoth ? getCombiner(op) : Combiner::None;
}

SmallVector<Combiner> findCombiners(Region &region) {
  if (!region.hasOneBlock() || region.front().empty())
    return {};
  Block &block = region.front();
  Operation *end = &block.back();
  unsigned count = end->getNumOperands();
  if (!isa<stablehlo::ReturnOp>(end) || count == 0 || block.getNumArguments() != 2 * count)
    return {};
  SmallVector<Combiner> each;
  for (unsigned i = 0; i < count; ++i)
    each.push_back(findCombiner(end->getOperand(i), block.getArgument(i), block.getArgument(count + i)));
  return each;
}

Combiner findCombiner(Region &region) {
  SmallVector<Combiner> each = findCombiners(region);
  return !each.empty() && llvm::all_equal(each) ? each.front() : Combiner::None;
}

//===----------------------------------------------------------------------===//
// Identities
//===----------------------------------------------------------------------===//

bool isIdempotent(Combiner combiner) {
  return combiner == Combiner::Maximum || combiner == Combiner::Minimum || combiner == Combiner::And ||
         combiner == Combiner::Or;
}

/// x + 0.0 is not x for x = -0.0, so the zero of sums is negative (where the format has one).
static std::optional<APFloat> getFloatIdentity(FloatType type, Combiner combiner) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (combiner == Combiner::Multiply)
    return APFloat::getOne(semantics);
  if (combiner != Combiner::Add || !APFloat::semanticsHasZero(semantics))
    return std::nullopt;
  return APFloat::getZero(semantics, /*Negative=*/true);
}

static DenseElementsAttr getIntegerIdentity(RankedTensorType type, IntegerType element, Combiner combiner) {
  switch (combiner) {
  case Combiner::Add:
  case Combiner::Or:
  case Combiner::Xor:
    return DenseElementsAttr::get(type, APInt::getZero(element.getWidth()));
  case Combiner::Multiply:
    return DenseElementsAttr::get(type, APInt(element.getWidth(), 1));
  default:
    return {};
  }
}

DenseElementsAttr getIdentity(RankedTensorType type, Combiner combiner) {
  Type element = type.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return getIntegerIdentity(type, integer, combiner);
  if (auto floating = dyn_cast<FloatType>(element)) {
    std::optional<APFloat> value = getFloatIdentity(floating, combiner);
    return value ? DenseElementsAttr::get(type, *value) : DenseElementsAttr();
  }
  auto complex = dyn_cast<ComplexType>(element);
  auto part = complex ? dyn_cast<FloatType>(complex.getElementType()) : FloatType();
  if (!part || combiner != Combiner::Add)
    return {};
  APFloat zero = *getFloatIdentity(part, Combiner::Add);
  return DenseElementsAttr::get(type, std::complex<APFloat>(zero, zero));
}

DenseElementsAttr getLowest(Type element) {
  auto type = RankedTensorType::get({}, element);
  if (auto floating = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return APFloat::semanticsHasInf(semantics)
               ? DenseElementsAttr::get(type, APFloat::getInf(semantics, /*Negative=*/true))
               : DenseElementsAttr();
  }
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return {};
  bool isSigned = !integer.isUnsigned() && integer.getWidth() > 1;
  return DenseElementsAttr::get(type, isSigned ? APInt::getSignedMinValue(integer.getWidth())
                                               : APInt::getZero(integer.getWidth()));
}

bool hasPartialResults(Type elementType, Combiner combiner) {
  if (combiner == Combiner::None)
    return false;
  return isIdempotent(combiner) || getIdentity(RankedTensorType::get({}, elementType), combiner);
}

static bool isZero(DenseElementsAttr constant) {
  Type element = constant.getElementType();
  if (isa<IntegerType>(element))
    return constant.getSplatValue<APInt>().isZero();
  if (isa<FloatType>(element))
    return constant.getSplatValue<APFloat>().isZero();
  auto complex = dyn_cast<ComplexType>(element);
  if (!complex || !isa<FloatType>(complex.getElementType()))
    return false;
  auto value = constant.getSplatValue<std::complex<APFloat>>();
  return value.real().isZero() && value.imag().isZero();
}

bool isNeutralConstant(Value value, Combiner combiner) {
  DenseElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)) || !constant.isSplat())
    return false;
  if (combiner == Combiner::Add || combiner == Combiner::Xor)
    return isZero(constant);
  return combiner == Combiner::Multiply && constant == getIdentity(cast<RankedTensorType>(value.getType()), combiner);
}

Combiner findMaskCombiner(Type elementType) {
  if (elementType.isInteger(1))
    return Combiner::Or;
  return getIdentity(RankedTensorType::get({}, elementType), Combiner::Add) ? Combiner::Add : Combiner::None;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Combiner findReductionCombiner(Region &body, ValueRange inits) {
  Combiner combiner = findCombiner(body);
  bool hasPartial =
      llvm::all_of(inits, [&](Value init) { return hasPartialResults(getElementTypeOrSelf(init), combiner); });
  return hasPartial ? combiner : Combiner::None;
}

bool combinesEach(Region &body, ValueRange inits) {
  auto isNeutral = [](Combiner own, Value init) {
    return own != Combiner::None && hasPartialResults(getElementTypeOrSelf(init), own) &&
           (isIdempotent(own) || isNeutralConstant(init, own));
  };
  SmallVector<Combiner> each = findCombiners(body);
  SmallVector<Value> sources(inits);
  // JAX broadcasts a scalar to a scalar.
  for (Value &source : sources)
    while (auto broadcast = source.getDefiningOp<stablehlo::BroadcastInDimOp>())
      source = broadcast.getOperand();
  return each.size() == sources.size() && llvm::all_of_zip(each, sources, isNeutral);
}

uint8_t addReduced(Rule &rule, int64_t size, Combiner combiner) {
  FactorKind kind = combiner == Combiner::None ? FactorKind::Replicate : FactorKind::Reduce;
  return rule.addFactor(kind, size, combiner);
}

Value emitCombination(OpBuilder &builder, Location loc, Combiner combiner, Value lhs, Value rhs) {
  switch (combiner) {
  case Combiner::None:
    break;
  case Combiner::Add:
    return stablehlo::AddOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Multiply:
    return stablehlo::MulOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Maximum:
    return stablehlo::MaxOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Minimum:
    return stablehlo::MinOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::And:
    return stablehlo::AndOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Or:
    return stablehlo::OrOp::create(builder, loc, lhs.getType(), lhs, rhs);
  case Combiner::Xor:
    return stablehlo::XorOp::create(builder, loc, lhs.getType(), lhs, rhs);
  }
  llvm_unreachable("no combiner");
}

} // namespace partita::program::rules
