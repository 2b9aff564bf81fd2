//===- Loops.cpp - loops whose number of iterations is known --------------===//
//
// Guess, then prove. The guess looks at the first iteration only: by how much
// does each carried integer change, and when would the condition fail if all
// went on like that? The proof evaluates the same values over all iterations; a
// wrap-around, or a comparison whose result varies, makes a value unknown. Only
// what the proof confirms is returned. It is an induction over iterations for
// all counters at once, so a counter that fails also removes those that depend
// on it.
//
//===----------------------------------------------------------------------===//

#include "partita/Program/Loops.h"

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/LoopAffine.h"
#include "partita/Program/LoopSteps.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program {

namespace {

/// When a condition fails for the first time.
struct Failure {
  /// Nothing: never.
  std::optional<int64_t> iteration;
  /// The comparison that fails; null if the condition is a constant.
  stablehlo::CompareOp compare;
};

class LoopAnalyzer {
public:
  LoopAnalyzer(stablehlo::WhileOp loop, std::string &whyNot) : loop(loop), whyNot(whyNot) {}

  std::optional<CountedLoop> run();

private:
  std::optional<int64_t> guessStep(unsigned index, int64_t start);
  void guessCounters();
  void proveCounters(int64_t tripCount);
  AffineEvaluator makeEvaluator(Iterations domain);
  std::optional<Failure> findFailure(Iterations domain);
  std::optional<Failure> findFailure(Value condition, AffineEvaluator &evaluator, unsigned depth);
  std::optional<Failure> findFailure(stablehlo::CompareOp compare, AffineEvaluator &evaluator);
  std::optional<LoopCounter> findInduction(stablehlo::CompareOp compare);

  Block &getBody() { return loop.getBody().front(); }
  Block &getCond() { return loop.getCond().front(); }
  std::nullopt_t refuse(const Twine &reason) {
    whyNot = reason.str();
    return std::nullopt;
  }

  stablehlo::WhileOp loop;
  std::string &whyNot;
  SmallVector<LoopCounter> counters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// The change of the carried value in the first iteration, if it depends on nothing else.
std::optional<int64_t> LoopAnalyzer::guessStep(unsigned index, int64_t start) {
  AffineEvaluator evaluator(Iterations{0});
  evaluator.bind(getBody().getArgument(index), {start, 1});
  std::optional<Affine> next = evaluator.evaluate(getBody().getTerminator()->getOperand(index));
  int64_t step;
  if (!next || next->slope != 1 || llvm::SubOverflow(next->base, start, step))
    return std::nullopt;
  return step;
}

void LoopAnalyzer::guessCounters() {
  AffineEvaluator outside(Iterations{0});
  for (auto [index, operand] : llvm::enumerate(loop.getOperand())) {
    std::optional<Affine> start = outside.evaluate(operand);
    if (!start || isInvariant(loop, index))
      continue;
    if (std::optional<int64_t> step = guessStep(index, start->base))
      counters.push_back({static_cast<unsigned>(index), start->base, *step});
  }
}

AffineEvaluator LoopAnalyzer::makeEvaluator(Iterations domain) {
  AffineEvaluator evaluator(domain);
  for (const LoopCounter &counter : counters) {
    evaluator.bind(getBody().getArgument(counter.carried), {counter.start, counter.step});
    evaluator.bind(getCond().getArgument(counter.carried), {counter.start, counter.step});
  }
  return evaluator;
}

/// Keeps the counters that change by their step in each of the iterations.
void LoopAnalyzer::proveCounters(int64_t tripCount) {
  if (tripCount == 0)
    return;
  size_t before;
  do {
    before = counters.size();
    AffineEvaluator evaluator = makeEvaluator(Iterations{tripCount - 1});
    llvm::erase_if(counters, [&](const LoopCounter &counter) {
      std::optional<Affine> next = evaluator.evaluate(getBody().getTerminator()->getOperand(counter.carried));
      std::optional<int64_t> second = Affine{counter.start, counter.step}.at(1);
      return !next || !second || *next != Affine{*second, counter.step};
    });
  } while (counters.size() != before);
}

//===----------------------------------------------------------------------===//
// The condition
//===----------------------------------------------------------------------===//

/// The first k >= 0 for which `d < 0` does not hold; nothing if there is none.
static std::optional<int64_t> findFirstNotNegative(Affine d) {
  if (d.base >= 0)
    return 0;
  if (d.slope <= 0)
    return std::nullopt;
  // Rounded towards minus infinity, base / slope is -ceil(-base / slope).
  return -llvm::divideFloorSigned(d.base, d.slope);
}

/// The first k >= 0 for which `d` is zero; nothing if there is none.
static std::optional<int64_t> findFirstZero(Affine d) {
  if (d.base == 0)
    return 0;
  if (d.slope == 0 || (d.slope == -1 && d.base == INT64_MIN) || d.base % d.slope != 0)
    return std::nullopt;
  int64_t quotient = d.base / d.slope;
  return quotient < 0 ? std::optional(-quotient) : std::nullopt;
}

/// Finds the first k for which the comparison of `lhs` and `rhs` fails; nothing if there is none. False if it is too
/// large to compute.
static bool findFirstFailure(stablehlo::ComparisonDirection direction, Affine lhs, Affine rhs,
                             std::optional<int64_t> &failure) {
  using Direction = stablehlo::ComparisonDirection;
  if (direction == Direction::GT || direction == Direction::GE)
    std::swap(lhs, rhs);
  Affine d;
  if (llvm::SubOverflow(lhs.base, rhs.base, d.base) || llvm::SubOverflow(lhs.slope, rhs.slope, d.slope))
    return false;
  switch (direction) {
  case Direction::LE:
  case Direction::GE:
    if (llvm::SubOverflow(d.base, int64_t(1), d.base))
      return false;
    [[fallthrough]];
  case Direction::LT:
  case Direction::GT:
    failure = findFirstNotNegative(d);
    return true;
  case Direction::NE:
    failure = findFirstZero(d);
    return true;
  case Direction::EQ:
    failure = d.base != 0 ? std::optional<int64_t>(0) : d.slope != 0 ? std::optional<int64_t>(1) : std::nullopt;
    return true;
  }
  return false;
}

std::optional<Failure> LoopAnalyzer::findFailure(stablehlo::CompareOp compare, AffineEvaluator &evaluator) {
  std::optional<Affine> lhs = evaluator.evaluate(compare.getLhs()), rhs = evaluator.evaluate(compare.getRhs());
  if (!lhs && !rhs)
    return refuse("the condition depends on data");
  if (!lhs || !rhs)
    return refuse("one side of the condition's comparison depends on data");
  Failure failure{std::nullopt, compare};
  if (!comparesBySign(compare) || !findFirstFailure(compare.getComparisonDirection(), *lhs, *rhs, failure.iteration))
    return refuse("the condition's comparison is not one of plain integers");
  return failure;
}

std::optional<Failure> LoopAnalyzer::findFailure(Value condition, AffineEvaluator &evaluator, unsigned depth) {
  condition = findOrigin(condition);
  if (auto compare = condition.getDefiningOp<stablehlo::CompareOp>())
    return findFailure(compare, evaluator);
  if (std::optional<Affine> constant = evaluator.evaluate(condition); constant && constant->isConstant())
    return Failure{constant->base ? std::nullopt : std::optional<int64_t>(0), {}};
  auto both = condition.getDefiningOp<stablehlo::AndOp>();
  if (!both || depth == 0)
    return refuse("the condition depends on data");
  std::optional<Failure> lhs = findFailure(both.getLhs(), evaluator, depth - 1);
  std::optional<Failure> rhs = lhs ? findFailure(both.getRhs(), evaluator, depth - 1) : std::nullopt;
  if (!rhs)
    return std::nullopt;
  bool isLeftFirst = lhs->iteration && (!rhs->iteration || *lhs->iteration <= *rhs->iteration);
  return isLeftFirst ? lhs : rhs;
}

std::optional<Failure> LoopAnalyzer::findFailure(Iterations domain) {
  AffineEvaluator evaluator = makeEvaluator(domain);
  return findFailure(getCond().getTerminator()->getOperand(0), evaluator, /*depth=*/8);
}

/// The first counter that the comparison tests.
std::optional<LoopCounter> LoopAnalyzer::findInduction(stablehlo::CompareOp compare) {
  SmallVector<Value> todo{compare.getRhs(), compare.getLhs()};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!todo.empty()) {
    Value value = todo.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == &getCond()) {
      auto isIt = [&](const LoopCounter &counter) { return counter.carried == argument.getArgNumber(); };
      if (auto it = llvm::find_if(counters, isIt); it != counters.end())
        return *it;
    }
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == &getCond())
      llvm::append_range(todo, llvm::reverse(op->getOperands()));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//

std::optional<CountedLoop> LoopAnalyzer::run() {
  guessCounters();
  std::optional<Failure> guess = findFailure(Iterations{0});
  if (!guess)
    return std::nullopt;
  if (!guess->iteration)
    return refuse("the condition never fails, unless an integer wraps around");
  int64_t tripCount = *guess->iteration;
  proveCounters(tripCount);
  // The condition runs once more than the body.
  std::optional<Failure> proof = findFailure(Iterations{tripCount});
  if (!proof || proof->iteration != guess->iteration)
    return refuse("what the condition compares does not change evenly, or wraps around, within " + Twine(tripCount) +
                  " iterations");
  std::optional<LoopCounter> induction = proof->compare ? findInduction(proof->compare) : std::nullopt;
  if (!induction)
    return refuse("the condition is a constant");
  std::optional<int64_t> bound = Affine{induction->start, induction->step}.at(tripCount);
  if (!bound)
    return refuse("the induction value wraps around");
  CountedLoop result{tripCount, *induction, *bound, counters, {}};
  if (tripCount > 0) {
    AffineEvaluator evaluator = makeEvaluator(Iterations{tripCount - 1});
    result.stepped = findSteppedOperands(loop, evaluator, Iterations{tripCount - 1});
  }
  return result;
}

std::optional<CountedLoop> analyzeLoop(stablehlo::WhileOp loop, std::string *whyNot) {
  std::string reason;
  std::optional<CountedLoop> result = LoopAnalyzer(loop, reason).run();
  if (whyNot && !result)
    *whyNot = reason;
  return result;
}

} // namespace partita::program
