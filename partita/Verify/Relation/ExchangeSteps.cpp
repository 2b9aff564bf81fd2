//===- ExchangeSteps.cpp - an all_to_all that runs in several steps -------===//

#include "partita/Verify/Relation/ExchangeSteps.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;

namespace partita::verify {

static ArrayRef<int64_t> getShape(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// The all_to_alls that give `value`, each of what the one before it gives, in the order in which they run.
static SmallVector<stablehlo::AllToAllOp, 2> collectSteps(Value value) {
  SmallVector<stablehlo::AllToAllOp, 2> steps;
  auto step = value.getDefiningOp<stablehlo::AllToAllOp>();
  for (; step && step->getNumOperands() == 1; step = step.getOperand(0).getDefiningOp<stablehlo::AllToAllOp>())
    steps.push_back(step);
  std::reverse(steps.begin(), steps.end());
  return steps;
}

/// The first of the dims that the steps cut, which are neighbors; nothing if they are not.
static std::optional<int64_t> findFirstCut(ArrayRef<stablehlo::AllToAllOp> steps) {
  SmallVector<int64_t> cuts;
  for (stablehlo::AllToAllOp step : steps)
    cuts.push_back(static_cast<int64_t>(step.getSplitDimension()));
  llvm::sort(cuts);
  for (auto [index, cut] : llvm::enumerate(cuts))
    if (cut != cuts.front() + static_cast<int64_t>(index))
      return std::nullopt;
  return cuts.front();
}

/// Whether `shape` is `cut` with the `count` dims at `first` and the one behind them as one dim.
static bool isMerged(ArrayRef<int64_t> shape, ArrayRef<int64_t> cut, int64_t first, int64_t count) {
  if (cut.size() != shape.size() + static_cast<size_t>(count) || first + count >= static_cast<int64_t>(cut.size()))
    return false;
  int64_t size = 1;
  for (int64_t part : cut.slice(first, count + 1))
    size *= part;
  return shape[first] == size && shape.take_front(first) == cut.take_front(first) &&
         shape.drop_front(first + 1) == cut.drop_front(first + count + 1);
}

std::optional<ExchangeSteps> findExchangeSteps(stablehlo::ReshapeOp last) {
  ExchangeSteps found;
  found.steps = collectSteps(last.getOperand());
  auto first = found.steps.empty() ? stablehlo::ReshapeOp()
                                   : found.steps.front().getOperand(0).getDefiningOp<stablehlo::ReshapeOp>();
  std::optional<int64_t> cut = first ? findFirstCut(found.steps) : std::nullopt;
  if (!cut)
    return std::nullopt;
  found.operand = first.getOperand();
  auto count = static_cast<int64_t>(found.steps.size());
  auto from = static_cast<int64_t>(found.steps.front().getConcatDimension());
  bool isOneDim = llvm::all_of(found.steps, [&](stablehlo::AllToAllOp step) {
    return static_cast<int64_t>(step.getConcatDimension()) == from &&
           getShape(step->getResult(0))[step.getSplitDimension()] == 1;
  });
  bool isApart = from < *cut || from > *cut + count;
  if (!isOneDim || !isApart || !isMerged(getShape(found.operand), getShape(first), *cut, count) ||
      !isMerged(getShape(last), getShape(last.getOperand()), *cut, count))
    return std::nullopt;
  found.toDim = *cut;
  found.dim = from < *cut ? from : from - count;
  return found;
}

} // namespace partita::verify
