//===- ReshapeRules.cpp - reshape: factors that both shapes share ---------===//
//
// Both shapes number the same elements in row-major order. A factor is a digit
// of that number which both shapes have. The search starts at the major end:
//
//   [6,4] -> [24]       ([a,b])->([(ab)])
//   [24]  -> [2,12]     ([(ab)])->([a,b])
//   [8,6] -> [4,12]     ([(ab),c])->([a,(bc)])
//   [6,4] -> [4,6]      ([(ab),c])->([(ad),e]) replicate={b,c,d,e}
//
// Let x and y be the unread sizes of the current dims. Their greatest common
// divisor is a factor of both. If it equals x or y, that dim is done. If it
// equals neither, the shapes share no further digit until both have read
// equally many elements; dims up to there stay whole. (A shared digit further
// down in that block would be useless: it follows one that cannot be split, and
// only the front of a dim may be split.)
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include <numeric>

using namespace mlir;

namespace partita::program::rules {

namespace {

/// Reads a shape from its major end.
class ShapeReader {
public:
  ShapeReader(ArrayRef<int64_t> shape, bool isResult) : shape(shape), isResult(isResult) { skip(); }

  bool atEnd() const { return dim == shape.size(); }
  /// The unread size of the current dim.
  int64_t getRest() const { return rest; }
  DimRef getDim() const { return {isResult, 0, int64_t(dim)}; }

  void read(int64_t size) {
    rest /= size;
    if (rest == 1) {
      ++dim;
      skip();
    }
  }

private:
  /// Stops at a dim larger than one.
  void skip() {
    while (dim < shape.size() && shape[dim] == 1)
      ++dim;
    rest = dim < shape.size() ? shape[dim] : 1;
  }

  ArrayRef<int64_t> shape;
  bool isResult;
  size_t dim = 0;
  int64_t rest = 1;
};

} // namespace

/// Reads both shapes up to the next position where both have read equally many elements.
static void keepBlockWhole(ShapeReader &operand, ShapeReader &result, RuleBuilder &rule) {
  auto readWhole = [&](ShapeReader &reader) {
    int64_t size = reader.getRest();
    rule.addWhole(size, reader.getDim());
    reader.read(size);
    return size;
  };
  int64_t operandCount = readWhole(operand), resultCount = readWhole(result);
  while (operandCount != resultCount) {
    bool isOperandBehind = operandCount < resultCount;
    (isOperandBehind ? operandCount : resultCount) *= readWhole(isOperandBehind ? operand : result);
  }
}

static void addSharedDigits(ShapeReader operand, ShapeReader result, RuleBuilder &rule) {
  while (!operand.atEnd() && !result.atEnd()) {
    int64_t shared = std::gcd(operand.getRest(), result.getRest());
    bool isBlocked = shared != operand.getRest() && shared != result.getRest();
    rule.addParallel(shared, {operand.getDim(), result.getDim()});
    operand.read(shared);
    result.read(shared);
    if (isBlocked)
      keepBlockWhole(operand, result, rule);
  }
}

/// A tensor without elements: every split is right. Equal leading dims are shared.
static void addDimsOfEmpty(ArrayRef<int64_t> operand, ArrayRef<int64_t> result, RuleBuilder &rule) {
  size_t numShared = 0;
  while (numShared < std::min(operand.size(), result.size()) && operand[numShared] == result[numShared])
    ++numShared;
  for (size_t dim = 0; dim < numShared; ++dim)
    rule.addParallel(operand[dim], {ofOperand(0, dim), ofResult(0, dim)});
  for (size_t dim = numShared; dim < operand.size(); ++dim)
    rule.addParallel(operand[dim], ofOperand(0, dim));
  for (size_t dim = numShared; dim < result.size(); ++dim)
    rule.addParallel(result[dim], ofResult(0, dim));
}

static OpRule ruleOfReshape(stablehlo::ReshapeOp op, RuleContext &) {
  RuleBuilder rule(op);
  ArrayRef<int64_t> operand = getShape(op.getOperand()), result = getShape(op.getResult());
  if (!hasStaticShapes(op) || stablehlo::countElements(operand) > INT64_MAX)
    return rule.finish("a tensor of more than 2^63 elements is not split");
  if (llvm::is_contained(operand, 0))
    addDimsOfEmpty(operand, result, rule);
  else
    addSharedDigits({operand, false}, {result, true}, rule);
  return rule.finish("dims of both shapes that have no common refinement stay whole");
}

void registerReshapeRules(RuleTable &table) { table.add<stablehlo::ReshapeOp, ruleOfReshape>(); }

} // namespace partita::program::rules
