//===- SelectionBodies.cpp - bodies that choose one of two elements -------===//

#include "partita/Program/Rules/SelectionBodies.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace mlir;

namespace partita::program::rules {

namespace {

/// Representatives of numbers: among three elements no more than three numbers differ. Zeros of both signs are equal
/// and can be told apart.
enum OrderLevel : uint8_t { MinusTwo, MinusOne, MinusZero, PlusZero, One, Two, NotANumber };

using Element = SmallVector<uint8_t, 4>;

/// Runs a body on representatives.
class SelectionBody {
public:
  /// Null if the region has another form or another op.
  static std::optional<SelectionBody> make(Region &region);

  /// `isAnyInit`: the init value may be a zero of any sign.
  bool mayFold(bool isAnyInit);

private:
  explicit SelectionBody(Block &block) : block(block), count(block.getNumArguments() / 2) {}

  bool hasKnownOps();
  bool isFloat(unsigned number) const { return isa<FloatType>(getElementTypeOrSelf(block.getArgument(number))); }
  bool isAbsorbed(const Element &init, const Element &x);
  bool isAssociative(const Element &a, const Element &b, const Element &c);
  std::vector<Element> listElements();
  Element run(const Element &a, const Element &b);
  uint8_t evaluate(Operation &op);
  uint8_t get(Value value) const { return values.lookup(value); }

  Block &block;
  unsigned count;
  llvm::DenseMap<Value, uint8_t> values;
};

} // namespace

/// The most elements of which all triples are tried.
static constexpr size_t maxElements = 30;

static bool isBit(Value value) { return getElementTypeOrSelf(value).isInteger(1); }

static bool isOrdered(Value value) {
  Type element = getElementTypeOrSelf(value);
  return isa<IntegerType, FloatType>(element) && cast<ShapedType>(value.getType()).hasRank() &&
         cast<ShapedType>(value.getType()).getRank() == 0;
}

/// The number that a level stands for, as far as order goes; no number is behind all others where the order is total.
static double getNumber(uint8_t level, bool isTotal) {
  if (level == NotANumber)
    return isTotal ? double(level) : std::nan("");
  return level == MinusZero && !isTotal ? double(PlusZero) : double(level);
}

static bool compare(stablehlo::CompareOp op, uint8_t lhs, uint8_t rhs) {
  using stablehlo::ComparisonDirection;
  bool isTotal = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  double a = getNumber(lhs, isTotal), b = getNumber(rhs, isTotal);
  switch (op.getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return a == b;
  case ComparisonDirection::NE:
    return a != b;
  case ComparisonDirection::GE:
    return a >= b;
  case ComparisonDirection::GT:
    return a > b;
  case ComparisonDirection::LE:
    return a <= b;
  case ComparisonDirection::LT:
    return a < b;
  }
  llvm_unreachable("unknown direction");
}

std::optional<SelectionBody> SelectionBody::make(Region &region) {
  if (!region.hasOneBlock() || region.front().empty() || region.front().getNumArguments() % 2 != 0)
    return std::nullopt;
  SelectionBody body(region.front());
  return body.hasKnownOps() ? std::optional(std::move(body)) : std::nullopt;
}

bool SelectionBody::hasKnownOps() {
  using namespace stablehlo;
  if (!llvm::all_of(block.getArguments(), [](Value value) { return isOrdered(value) && !isBit(value); }))
    return false;
  for (Operation &op : block.without_terminator()) {
    bool isLogic = isa<AndOp, OrOp, XorOp, NotOp>(op) && isBit(op.getResult(0));
    bool isOfNumbers = isa<CompareOp, SelectOp>(op) && llvm::all_of(op.getOperands(), isOrdered);
    // Of two integers; of floats, what remains of a NaN or of two zeros is not said.
    bool isChoice = isa<MinOp, MaxOp>(op) && isa<IntegerType>(getElementTypeOrSelf(op.getResult(0)));
    if (!isLogic && !isOfNumbers && !isChoice)
      return false;
  }
  Operation *end = block.getTerminator();
  return isa<ReturnOp>(end) && count > 0 && end->getNumOperands() == count;
}

uint8_t SelectionBody::evaluate(Operation &op) {
  using namespace stablehlo;
  uint8_t first = get(op.getOperand(0));
  if (isa<NotOp>(op))
    return first == 0 ? 1 : 0;
  uint8_t second = get(op.getOperand(1));
  if (auto comparison = dyn_cast<CompareOp>(op))
    return compare(comparison, first, second) ? 1 : 0;
  if (isa<SelectOp>(op))
    return first != 0 ? second : get(op.getOperand(2));
  if (isa<AndOp>(op))
    return first & second;
  if (isa<OrOp>(op))
    return first | second;
  if (isa<XorOp>(op))
    return first ^ second;
  return isa<MinOp>(op) ? std::min(first, second) : std::max(first, second);
}

Element SelectionBody::run(const Element &a, const Element &b) {
  for (unsigned i = 0; i < count; ++i) {
    values[block.getArgument(i)] = a[i];
    values[block.getArgument(count + i)] = b[i];
  }
  for (Operation &op : block.without_terminator())
    values[op.getResult(0)] = evaluate(op);
  Element result;
  for (Value value : block.getTerminator()->getOperands())
    result.push_back(get(value));
  return result;
}

/// All tuples of levels; empty if there are too many.
std::vector<Element> SelectionBody::listElements() {
  std::vector<Element> elements(1);
  for (unsigned i = 0; i < count; ++i) {
    std::vector<Element> longer;
    for (const Element &element : elements)
      for (uint8_t level = isFloat(i) ? MinusTwo : PlusZero; level <= (isFloat(i) ? NotANumber : Two); ++level) {
        longer.push_back(element);
        longer.back().push_back(level);
      }
    elements = std::move(longer);
    if (elements.size() > maxElements)
      return {};
  }
  return elements;
}

bool SelectionBody::isAbsorbed(const Element &init, const Element &x) {
  Element first = run(init, x);
  return run(init, init) == init && run(first, init) == first;
}

bool SelectionBody::isAssociative(const Element &a, const Element &b, const Element &c) {
  return run(run(a, b), c) == run(a, run(b, c));
}

bool SelectionBody::mayFold(bool isAnyInit) {
  std::vector<Element> elements = listElements();
  auto mayBeInit = [&](const Element &element) {
    for (unsigned i = 0; i < count; ++i)
      if (isFloat(i) && (element[i] == MinusZero || element[i] == PlusZero))
        return isAnyInit;
    return true;
  };
  for (const Element &a : elements)
    for (const Element &b : elements) {
      if (mayBeInit(a) && !isAbsorbed(a, b))
        return false;
      for (const Element &c : elements)
        if (!isAssociative(a, b, c))
          return false;
    }
  return !elements.empty();
}

/// Whether the value is a constant and no zero.
static bool isNonZero(Value init) {
  DenseElementsAttr constant;
  if (!matchPattern(init, m_Constant(&constant)) || !constant.isSplat())
    return false;
  return !isa<FloatType>(constant.getElementType()) || !constant.getSplatValue<APFloat>().isZero();
}

bool isSelection(Region &region) { return SelectionBody::make(region).has_value(); }

bool foldsSelections(Region &region, ValueRange inits) {
  std::optional<SelectionBody> body = SelectionBody::make(region);
  return body && body->mayFold(!llvm::all_of(inits, isNonZero));
}

} // namespace partita::program::rules
