//===- ScalarBody.cpp - a region on scalars, run on intervals -------------===//

#include "partita/Program/Rules/ScalarBody.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace partita::program::rules {

using Operands = ArrayRef<Number>;
using Evaluate = ScalarBody::Evaluate;

static bool isReal(Type type) { return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type); }

static bool isKnownType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() != 0)
    return false;
  auto integer = dyn_cast<IntegerType>(tensor.getElementType());
  return integer ? integer.getWidth() <= 64 : isReal(tensor.getElementType());
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static Number makeReal(Interval real) { return {real, 0}; }

/// The lowest `width` bits; those of a negative number as they are.
static Number makeBits(uint64_t bits, unsigned width) {
  return {{}, width == 64 ? bits : bits & ((uint64_t(1) << width) - 1)};
}

/// A boolean; one that is not known makes all that is computed from it unknown.
static Number makeBool(std::optional<bool> value) {
  return {value ? Interval::exact(0) : Interval::unknown(), value.value_or(false) ? uint64_t(1) : 0};
}

static bool isUnknown(const Number &number) { return number.real.isUnknown; }

static int64_t readSigned(const Number &number, unsigned width) { return llvm::SignExtend64(number.bits, width); }

std::optional<Number> readNumber(DenseElementsAttr splat) {
  Type element = splat.getElementType();
  if (!splat.isSplat() || !isKnownType(RankedTensorType::get({}, element)))
    return std::nullopt;
  if (isa<IntegerType>(element))
    return makeBits(splat.getSplatValue<APInt>().getZExtValue(), element.getIntOrFloatBitWidth());
  return makeReal(Interval::exact(splat.getSplatValue<APFloat>().convertToDouble()));
}

/// Whether both are zeros, of two signs.
static bool haveOtherSigns(Interval a, Interval b) {
  return !a.isUnknown && !b.isUnknown && a.isExact() && b.isExact() && a.low == 0 && b.low == 0 &&
         std::signbit(a.low) != std::signbit(b.low);
}

Agreement ScalarBody::compareResults(const Numbers &a, const Numbers &b) const {
  Agreement result = Agreement::Same;
  for (auto [x, y, number] : llvm::zip_equal(a, b, returned)) {
    Agreement one = compare(x.real, y.real);
    bool differ =
        (!computed[number] && haveOtherSigns(x.real, y.real)) || (x.bits != y.bits && !isUnknown(x) && !isUnknown(y));
    if (one == Agreement::Different || differ)
      return Agreement::Different;
    result = one == Agreement::Unclear ? one : result;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Functions of floats
//===----------------------------------------------------------------------===//

static double computeLogistic(double x) { return 1 / (1 + std::exp(-x)); }

static const RisingFunction *findRising(Operation &op) {
  static const RisingFunction exponential{std::exp, -HUGE_VAL, 0}, exponentialMinusOne{std::expm1, -HUGE_VAL, -1},
      logarithm{std::log, 0}, logarithmPlusOne{std::log1p, -1}, root{std::sqrt, 0, 0}, cubeRoot{std::cbrt},
      tangent{std::tanh, -HUGE_VAL, -1}, logistic{computeLogistic, -HUGE_VAL, 0};
  return llvm::TypeSwitch<Operation *, const RisingFunction *>(&op)
      .Case<stablehlo::ExpOp>([&](auto) { return &exponential; })
      .Case<stablehlo::Expm1Op>([&](auto) { return &exponentialMinusOne; })
      .Case<stablehlo::LogOp>([&](auto) { return &logarithm; })
      .Case<stablehlo::Log1pOp>([&](auto) { return &logarithmPlusOne; })
      .Case<stablehlo::SqrtOp>([&](auto) { return &root; })
      .Case<stablehlo::CbrtOp>([&](auto) { return &cubeRoot; })
      .Case<stablehlo::TanhOp>([&](auto) { return &tangent; })
      .Case<stablehlo::LogisticOp>([&](auto) { return &logistic; })
      .Default(nullptr);
}

static Evaluate findRealFunction(Operation &op) {
  if (const RisingFunction *function = findRising(op))
    return [function](Operands of) { return makeReal(apply(*function, of[0].real)); };
  return llvm::TypeSwitch<Operation *, Evaluate>(&op)
      .Case<stablehlo::AddOp>([](auto) { return [](Operands of) { return makeReal(add(of[0].real, of[1].real)); }; })
      .Case<stablehlo::SubtractOp>(
          [](auto) { return [](Operands of) { return makeReal(subtract(of[0].real, of[1].real)); }; })
      .Case<stablehlo::MulOp>(
          [](auto) { return [](Operands of) { return makeReal(multiply(of[0].real, of[1].real)); }; })
      .Case<stablehlo::DivOp>([](auto) { return [](Operands of) { return makeReal(divide(of[0].real, of[1].real)); }; })
      .Case<stablehlo::MaxOp>(
          [](auto) { return [](Operands of) { return makeReal(maximum(of[0].real, of[1].real)); }; })
      .Case<stablehlo::MinOp>(
          [](auto) { return [](Operands of) { return makeReal(minimum(of[0].real, of[1].real)); }; })
      .Case<stablehlo::NegOp>([](auto) { return [](Operands of) { return makeReal(negate(of[0].real)); }; })
      .Case<stablehlo::AbsOp>([](auto) { return [](Operands of) { return makeReal(absolute(of[0].real)); }; })
      .Default(Evaluate());
}

//===----------------------------------------------------------------------===//
// Functions of integers and booleans
//===----------------------------------------------------------------------===//

/// An operand that is not known gives nothing that is.
static Evaluate makeBitFunction(unsigned width, std::function<uint64_t(uint64_t, uint64_t)> compute) {
  return [width, compute = std::move(compute)](Operands of) {
    const Number &last = of[of.size() - 1];
    if (isUnknown(of[0]) || isUnknown(last))
      return makeBool(std::nullopt);
    return makeBits(compute(of[0].bits, last.bits), width);
  };
}

static bool isBelow(uint64_t a, uint64_t b, IntegerType type) {
  bool isSigned = !type.isUnsigned() && type.getWidth() > 1;
  return isSigned ? llvm::SignExtend64(a, type.getWidth()) < llvm::SignExtend64(b, type.getWidth()) : a < b;
}

static Evaluate findBitFunction(Operation &op, IntegerType type) {
  using Compute = std::function<uint64_t(uint64_t, uint64_t)>;
  bool isBool = type.getWidth() == 1;
  Compute compute = llvm::TypeSwitch<Operation *, Compute>(&op)
                        .Case<stablehlo::AndOp>([](auto) { return [](uint64_t a, uint64_t b) { return a & b; }; })
                        .Case<stablehlo::OrOp>([](auto) { return [](uint64_t a, uint64_t b) { return a | b; }; })
                        .Case<stablehlo::XorOp>([](auto) { return [](uint64_t a, uint64_t b) { return a ^ b; }; })
                        .Case<stablehlo::NotOp>([](auto) { return [](uint64_t a, uint64_t) { return ~a; }; })
                        .Case<stablehlo::MaxOp>([type](auto) {
                          return [type](uint64_t a, uint64_t b) { return isBelow(a, b, type) ? b : a; };
                        })
                        .Case<stablehlo::MinOp>([type](auto) {
                          return [type](uint64_t a, uint64_t b) { return isBelow(b, a, type) ? b : a; };
                        })
                        .Default(Compute());
  // Sums and products of booleans are other functions.
  if (!compute && !isBool)
    compute = llvm::TypeSwitch<Operation *, Compute>(&op)
                  .Case<stablehlo::AddOp>([](auto) { return [](uint64_t a, uint64_t b) { return a + b; }; })
                  .Case<stablehlo::SubtractOp>([](auto) { return [](uint64_t a, uint64_t b) { return a - b; }; })
                  .Case<stablehlo::MulOp>([](auto) { return [](uint64_t a, uint64_t b) { return a * b; }; })
                  .Case<stablehlo::NegOp>([](auto) { return [](uint64_t a, uint64_t) { return uint64_t(0) - a; }; })
                  .Default(Compute());
  return compute ? makeBitFunction(type.getWidth(), std::move(compute)) : Evaluate();
}

//===----------------------------------------------------------------------===//
// Comparisons, choices, conversions
//===----------------------------------------------------------------------===//

static std::optional<bool> invert(std::optional<bool> value) { return value ? std::optional(!*value) : std::nullopt; }

static std::optional<bool> compareReals(stablehlo::ComparisonDirection direction, Interval a, Interval b) {
  using stablehlo::ComparisonDirection;
  switch (direction) {
  case ComparisonDirection::EQ:
    return isEqual(a, b);
  case ComparisonDirection::NE:
    return invert(isEqual(a, b));
  case ComparisonDirection::LT:
    return isLess(a, b);
  case ComparisonDirection::GT:
    return isLess(b, a);
  case ComparisonDirection::LE:
    return a.isNaN() || b.isNaN() ? std::optional(false) : invert(isLess(b, a));
  case ComparisonDirection::GE:
    return a.isNaN() || b.isNaN() ? std::optional(false) : invert(isLess(a, b));
  }
  llvm_unreachable("unknown direction");
}

static bool compareBits(stablehlo::ComparisonDirection direction, uint64_t a, uint64_t b, IntegerType type) {
  using stablehlo::ComparisonDirection;
  switch (direction) {
  case ComparisonDirection::EQ:
    return a == b;
  case ComparisonDirection::NE:
    return a != b;
  case ComparisonDirection::LT:
    return isBelow(a, b, type);
  case ComparisonDirection::GT:
    return isBelow(b, a, type);
  case ComparisonDirection::LE:
    return !isBelow(b, a, type);
  case ComparisonDirection::GE:
    return !isBelow(a, b, type);
  }
  llvm_unreachable("unknown direction");
}

static Evaluate makeComparison(stablehlo::CompareOp op) {
  stablehlo::ComparisonDirection direction = op.getComparisonDirection();
  Type element = getElementTypeOrSelf(op.getLhs());
  if (auto type = dyn_cast<IntegerType>(element))
    return [direction, type](Operands of) {
      if (isUnknown(of[0]) || isUnknown(of[1]))
        return makeBool(std::nullopt);
      return makeBool(compareBits(direction, of[0].bits, of[1].bits, type));
    };
  if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
    return {};
  // A number is equal to itself, whatever it lies between.
  if (op.getLhs() == op.getRhs())
    return [direction](Operands of) {
      Interval one = of[0].real.isUnknown || of[0].real.isNaN() ? of[0].real : Interval::exact(0);
      return makeBool(compareReals(direction, one, one));
    };
  return [direction](Operands of) { return makeBool(compareReals(direction, of[0].real, of[1].real)); };
}

static Evaluate makeChoice(bool isOfReals) {
  return [isOfReals](Operands of) {
    if (!isUnknown(of[0]))
      return of[0].bits != 0 ? of[1] : of[2];
    return isOfReals ? makeReal(Interval::unknown()) : makeBool(std::nullopt);
  };
}

/// Null for conversions that round: those to integers. Those to narrow floats round as sums in them do.
static Evaluate makeConversion(Type from, Type to) {
  if (isReal(from))
    return isReal(to) ? Evaluate([](Operands of) { return of[0]; }) : Evaluate();
  auto source = cast<IntegerType>(from);
  unsigned width = source.getWidth();
  bool isSigned = !source.isUnsigned() && width > 1;
  if (auto target = dyn_cast<IntegerType>(to)) {
    if (target.getWidth() == 1 && width > 1)
      return makeBitFunction(1, [](uint64_t a, uint64_t) { return a != 0 ? 1 : 0; });
    return makeBitFunction(target.getWidth(), [isSigned, width](uint64_t a, uint64_t) {
      return isSigned ? static_cast<uint64_t>(llvm::SignExtend64(a, width)) : a;
    });
  }
  return [isSigned, width](Operands of) {
    constexpr double largestExact = 9007199254740992.0;
    double value = isSigned ? double(readSigned(of[0], width)) : double(of[0].bits);
    bool isKnown = !isUnknown(of[0]) && std::fabs(value) < largestExact;
    return makeReal(isKnown ? Interval::exact(value) : Interval::unknown());
  };
}

static Evaluate findFunction(Operation &op) {
  Type result = getElementTypeOrSelf(op.getResult(0));
  if (auto comparison = dyn_cast<stablehlo::CompareOp>(op))
    return makeComparison(comparison);
  if (isa<stablehlo::SelectOp>(op))
    return makeChoice(isReal(result));
  if (isa<stablehlo::ConvertOp>(op))
    return makeConversion(getElementTypeOrSelf(op.getOperand(0)), result);
  if (isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(op))
    return [](Operands of) { return of[0]; };
  if (isa<stablehlo::IsFiniteOp>(op))
    return [](Operands of) {
      const Interval &real = of[0].real;
      return makeBool(real.isUnknown ? std::nullopt : std::optional(std::isfinite(real.low)));
    };
  if (auto integer = dyn_cast<IntegerType>(result))
    return findBitFunction(op, integer);
  return findRealFunction(op);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

bool ScalarBody::addConstant(Operation &op) {
  DenseElementsAttr value;
  if (!matchPattern(&op, m_Constant(&value)))
    return false;
  std::optional<Number> number = readNumber(value);
  if (!number)
    return false;
  registers.push_back(*number);
  computed.push_back(false);
  constants.push_back(*number);
  return true;
}

/// Sums, products and what is a sum or product of them are exact in exact mode. There, functions are hashes, and the
/// order of numbers has nothing to do with sums. Returns whether the op computes a float.
bool ScalarBody::noteArithmetic(Operation &op) {
  using namespace stablehlo;
  if (!isReal(getElementTypeOrSelf(op.getOperand(0))))
    return false;
  bool isExact = isa<AddOp, SubtractOp, MulOp, NegOp>(op);
  bool isOrder = isa<MaxOp, MinOp, CompareOp>(op);
  bool isFunction = findRising(op) || isa<DivOp, AbsOp, IsFiniteOp>(op);
  hasArithmetic |= isExact || isFunction;
  hasHashes |= isOrder || isFunction;
  return isExact || isFunction;
}

bool ScalarBody::addStep(Operation &op, ArrayRef<unsigned> operands) {
  if (op.getNumResults() != 1 || !isKnownType(op.getResult(0).getType()) || op.getNumRegions() != 0)
    return false;
  if (op.hasTrait<OpTrait::ConstantLike>())
    return addConstant(op);
  Evaluate evaluate = findFunction(op);
  if (!evaluate)
    return false;
  ArrayRef<unsigned> sources = operands.drop_front(isa<stablehlo::SelectOp>(op) ? 1 : 0);
  bool isOfComputed = llvm::any_of(sources, [&](unsigned source) { return computed[source]; });
  computed.push_back(noteArithmetic(op) || isOfComputed);
  steps.push_back({std::move(evaluate), SmallVector<unsigned, 3>(operands), unsigned(registers.size())});
  registers.emplace_back();
  return true;
}

std::optional<ScalarBody> ScalarBody::make(Region &region) {
  if (!region.hasOneBlock() || region.front().empty() || region.front().getNumArguments() % 2 != 0)
    return std::nullopt;
  Block &block = region.front();
  if (!llvm::all_of(block.getArgumentTypes(), isKnownType))
    return std::nullopt;
  ScalarBody body;
  llvm::DenseMap<Value, unsigned> numbers;
  auto findNumbers = [&](ValueRange values) -> std::optional<SmallVector<unsigned>> {
    SmallVector<unsigned> found;
    for (Value value : values) {
      auto it = numbers.find(value);
      if (it == numbers.end())
        return std::nullopt;
      found.push_back(it->second);
    }
    return found;
  };
  for (BlockArgument argument : block.getArguments())
    numbers[argument] = argument.getArgNumber();
  body.registers.resize(block.getNumArguments());
  body.computed.resize(block.getNumArguments());
  for (Operation &op : block.without_terminator()) {
    std::optional<SmallVector<unsigned>> operands = findNumbers(op.getOperands());
    if (!operands || !body.addStep(op, *operands))
      return std::nullopt;
    numbers[op.getResult(0)] = body.registers.size() - 1;
  }
  std::optional<SmallVector<unsigned>> returned = findNumbers(block.getTerminator()->getOperands());
  if (!returned || returned->empty() || returned->size() * 2 != block.getNumArguments())
    return std::nullopt;
  body.returned = std::move(*returned);
  for (unsigned i = 0; i < body.returned.size(); ++i)
    body.types.push_back(getElementTypeOrSelf(block.getArgument(i)));
  return body;
}

Numbers ScalarBody::run(const Numbers &a, const Numbers &b) const {
  Numbers values = registers;
  llvm::copy(a, values.begin());
  llvm::copy(b, values.begin() + static_cast<ptrdiff_t>(a.size()));
  SmallVector<Number, 3> operands;
  for (const Step &step : steps) {
    operands.clear();
    for (unsigned operand : step.operands)
      operands.push_back(values[operand]);
    values[step.result] = step.evaluate(operands);
  }
  Numbers results;
  for (unsigned number : returned)
    results.push_back(values[number]);
  return results;
}

} // namespace partita::program::rules
