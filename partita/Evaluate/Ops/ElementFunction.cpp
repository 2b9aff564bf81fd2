//===- ElementFunction.cpp - small regions as functions of elements -------===//
//
// Each value of the region has a register; an op becomes a step that reads its
// operands' registers and writes its result's. Narrow floats are only compared
// and selected here. The RegionRunner does their arithmetic, which rounds.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Ops/ElementFunction.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Ops/TotalOrder.h"
#include "partita/Evaluate/Scalars.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace partita::evaluate {

Element loadElement(const Tensor &tensor, int64_t at) {
  return visitKind(tensor.getKind(), [&]<typename T>(T *) { return Element(tensor.get<T>()[at]); });
}

void storeElement(Tensor &tensor, int64_t at, const Element &element) {
  visitKind(tensor.getKind(), [&]<typename T>(T *) { tensor.edit<T>()[at] = element.get<T>(); });
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

template <typename T> static bool isRelated(stablehlo::ComparisonDirection direction, T a, T b) {
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return a == b;
  case stablehlo::ComparisonDirection::NE:
    return !(a == b);
  default:
    break;
  }
  if constexpr (requires { a < b; }) {
    switch (direction) {
    case stablehlo::ComparisonDirection::GE:
      return a >= b;
    case stablehlo::ComparisonDirection::GT:
      return a > b;
    case stablehlo::ComparisonDirection::LE:
      return a <= b;
    default:
      return a < b;
    }
  }
  return false;
}

namespace {

/// Builds the steps of one region.
class Translator {
public:
  using Step = std::function<void(Element *)>;

  Translator(Mode mode, SmallVectorImpl<Element> &registers, std::vector<Step> &steps)
      : mode(mode), registers(registers), steps(steps) {}

  void addArgument(Value argument) { assign(argument); }
  /// False if the op cannot be translated.
  bool addOp(Operation *op);
  std::optional<unsigned> find(Value value) const {
    auto found = numbers.find(value);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }

private:
  unsigned assign(Value value) {
    registers.emplace_back();
    return numbers[value] = registers.size() - 1;
  }
  bool addConstant(stablehlo::ConstantOp op);
  bool addCompare(stablehlo::CompareOp op);
  bool addSelect(stablehlo::SelectOp op);
  bool addNot(stablehlo::NotOp op);
  bool addCombiner(ScalarCombiner combiner, Operation *op);
  template <typename T, typename F> void addBinary(Operation *op, F f);

  Mode mode;
  SmallVectorImpl<Element> &registers;
  std::vector<Step> &steps;
  llvm::DenseMap<Value, unsigned> numbers;
};

} // namespace

/// The element type of a scalar, nothing for other types.
static Type getScalarElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0 ? type.getElementType() : Type();
}

template <typename T, typename F> void Translator::addBinary(Operation *op, F f) {
  unsigned a = *find(op->getOperand(0)), b = *find(op->getOperand(1)), to = assign(op->getResult(0));
  steps.push_back([=](Element *at) { at[to] = Element(f(at[a].get<T>(), at[b].get<T>())); });
}

bool Translator::addConstant(stablehlo::ConstantOp op) {
  Tensor value = makeConstant(op.getValue(), mode);
  registers[assign(op.getResult())] = loadElement(value, 0);
  return true;
}

bool Translator::addCompare(stablehlo::CompareOp op) {
  StorageKind kind = getStorageKind(getScalarElement(op.getLhs()), mode);
  bool isTotal = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  stablehlo::ComparisonDirection direction = op.getComparisonDirection();
  visitKind(kind, [&]<typename T>(T *) {
    if constexpr (std::is_floating_point_v<T>)
      if (isTotal)
        return addBinary<T>(
            op, [=](T a, T b) -> uint8_t { return isRelated(direction, getTotalOrder(a), getTotalOrder(b)); });
    addBinary<T>(op, [=](T a, T b) -> uint8_t { return isRelated(direction, a, b); });
  });
  return true;
}

bool Translator::addSelect(stablehlo::SelectOp op) {
  unsigned pred = *find(op.getPred()), a = *find(op.getOnTrue()), b = *find(op.getOnFalse());
  unsigned to = assign(op.getResult());
  steps.push_back([=](Element *at) { at[to] = at[pred].get<uint8_t>() ? at[a] : at[b]; });
  return true;
}

bool Translator::addNot(stablehlo::NotOp op) {
  if (!getScalarElement(op.getResult()).isInteger(1))
    return false;
  unsigned a = *find(op.getOperand()), to = assign(op.getResult());
  steps.push_back([=](Element *at) { at[to] = Element(static_cast<uint8_t>(!at[a].get<uint8_t>())); });
  return true;
}

bool Translator::addCombiner(ScalarCombiner combiner, Operation *op) {
  Type type = getScalarElement(op->getResult(0));
  StorageKind kind = getStorageKind(type, mode);
  bool isNarrowFloat = kind == StorageKind::Float && !type.isF32();
  bool isComplex = isa<ComplexType>(type);
  if (isNarrowFloat || isComplex)
    return false;
  visitCombiner(combiner, type, mode, [&]<typename T>(T *, auto combine) { addBinary<T>(op, combine); });
  return true;
}

bool Translator::addOp(Operation *op) {
  bool hasScalars = llvm::all_of(op->getOperands(), [&](Value value) { return find(value).has_value(); }) &&
                    llvm::all_of(op->getResults(), [&](Value value) { return !!getScalarElement(value); });
  if (!hasScalars)
    return false;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](stablehlo::ConstantOp constant) { return addConstant(constant); })
      .Case([&](stablehlo::CompareOp compare) { return addCompare(compare); })
      .Case([&](stablehlo::SelectOp select) { return addSelect(select); })
      .Case([&](stablehlo::NotOp notOp) { return addNot(notOp); })
      .Default([&](Operation *) {
        std::optional<ScalarCombiner> combiner = recognizeOp(op);
        return combiner && addCombiner(*combiner, op);
      });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

ElementFunction::ElementFunction(Region &region, Call &call)
    : region(region), mode(call.mode), regions(call.regions), translated(translate()) {}

bool ElementFunction::translate() {
  Translator translator(mode, registers, steps);
  Block &block = region.front();
  for (BlockArgument argument : block.getArguments()) {
    if (!getScalarElement(argument))
      return false;
    translator.addArgument(argument);
  }
  for (Operation &op : block.without_terminator())
    if (!translator.addOp(&op))
      return false;
  for (Value value : block.getTerminator()->getOperands()) {
    std::optional<unsigned> number = translator.find(value);
    if (!number)
      return false;
    returnedRegisters.push_back(*number);
  }
  return true;
}

Result<ArrayRef<Element>> ElementFunction::operator()(ArrayRef<Element> arguments) {
  if (!translated)
    return runRegion(arguments);
  llvm::copy(arguments, registers.begin());
  for (const Step &step : steps)
    step(registers.data());
  returned.clear();
  for (unsigned number : returnedRegisters)
    returned.push_back(registers[number]);
  return ArrayRef<Element>(returned);
}

Result<ArrayRef<Element>> ElementFunction::runRegion(ArrayRef<Element> arguments) {
  if (!llvm::all_of(region.getArguments(), getScalarElement))
    return Error::unsupported({}, "the evaluator runs regions of elements on scalars only");
  SmallVector<Tensor> scalars;
  for (auto [argument, element] : llvm::zip_equal(region.getArguments(), arguments)) {
    scalars.emplace_back(cast<RankedTensorType>(argument.getType()), mode);
    storeElement(scalars.back(), 0, element);
  }
  Result<SmallVector<Tensor>> results = regions.run(region, scalars);
  if (!results)
    return results.error();
  returned.clear();
  for (const Tensor &result : *results)
    returned.push_back(loadElement(result, 0));
  return ArrayRef<Element>(returned);
}

} // namespace partita::evaluate
