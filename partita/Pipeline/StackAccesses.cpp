//===- StackAccesses.cpp - how a layer loop steps through its stacks ------===//

#include "partita/Pipeline/StackAccesses.h"

#include "partita/Remat/LayerLoops.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

class AccessFinder {
public:
  AccessFinder(stablehlo::WhileOp loop, const CountedLoop &count)
      : loop(loop), layer(loop.getBody().front()), numLayers(count.tripCount), evaluator(makeEvaluator(loop, count)) {}

  LoopAccesses run();

private:
  std::optional<StackAccess> findAccess(Operation *op, OpOperand &use);
  ValueAccesses collect(Value value, std::optional<unsigned> number);
  SmallVector<Value> findOuterValues() const;

  stablehlo::WhileOp loop;
  Block &layer;
  int64_t numLayers;
  AffineEvaluator evaluator;
};

} // namespace

/// The slices of a stack: one dim is stepped through so that layer k has the k-th of L equal parts of it, from the
/// first or from the last. All others are taken whole.
std::optional<StackAccess> AccessFinder::findAccess(Operation *op, OpOperand &use) {
  if (op->getBlock() != &layer || use.getOperandNumber() != 0 ||
      !isa<stablehlo::DynamicSliceOp, stablehlo::DynamicUpdateSliceOp>(op))
    return std::nullopt;
  auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op);
  auto update = dyn_cast<stablehlo::DynamicUpdateSliceOp>(op);
  ArrayRef<int64_t> sizes =
      slice ? slice.getSliceSizes() : cast<RankedTensorType>(update.getUpdate().getType()).getShape();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(use.get().getType()).getShape();
  std::optional<StackAccess> found;
  for (auto [dim, start] : llvm::enumerate(slice ? slice.getStartIndices() : update.getStartIndices())) {
    if (sizes[dim] == shape[dim])
      continue;
    std::optional<Affine> index = evaluator.evaluate(start);
    if (!index || found || index->slope == 0 || std::abs(index->slope) > shape[dim] ||
        std::abs(index->slope) * numLayers != shape[dim])
      return std::nullopt;
    int64_t step = std::abs(index->slope);
    std::optional<int64_t> lowest = index->at(index->slope > 0 ? 0 : numLayers - 1);
    if (!lowest || *lowest < 0 || *lowest + sizes[dim] > step)
      return std::nullopt;
    found = StackAccess{static_cast<unsigned>(dim), *index};
  }
  return found;
}

/// `number`: among the carried values.
ValueAccesses AccessFinder::collect(Value value, std::optional<unsigned> number) {
  ValueAccesses accesses;
  Operation *end = layer.getTerminator();
  SmallVector<Value> versions{value};
  for (size_t next = 0; next < versions.size(); ++next)
    for (OpOperand &use : versions[next].getUses()) {
      Operation *user = use.getOwner();
      if (!loop->isProperAncestor(user))
        continue;
      bool isYielded = user == end && number && use.getOperandNumber() == *number;
      std::optional<StackAccess> access = isYielded ? std::nullopt : findAccess(user, use);
      if (access && isa<stablehlo::DynamicUpdateSliceOp>(user)) {
        versions.push_back(user->getResult(0));
        accesses.isWritten = true;
      }
      if (access)
        accesses.list.emplace_back(user, *access);
      accesses.isComplete &= isYielded || access.has_value();
    }
  // Only what was last written is passed on: each version has one update, and the last one is yielded.
  if (number && !llvm::is_contained(versions, end->getOperand(*number)))
    accesses.isComplete = false;
  return accesses;
}

SmallVector<Value> AccessFinder::findOuterValues() const {
  llvm::SetVector<Value> found;
  for (Operation &op : layer)
    if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op)) {
      Operation *owner = slice.getOperand().getParentBlock()->getParentOp();
      if (owner != loop && !loop->isProperAncestor(owner))
        found.insert(slice.getOperand());
    }
  return found.takeVector();
}

/// The direction of what is written, or of what is read first.
static std::optional<bool> findDirection(const LoopAccesses &all) {
  std::optional<bool> isReversed;
  auto look = [&](const ValueAccesses &accesses, bool isWritten) {
    if (!isReversed && accesses.isComplete && !accesses.list.empty() && accesses.isWritten == isWritten)
      isReversed = accesses.list.front().second.index.slope < 0;
  };
  for (bool isWritten : {true, false}) {
    for (const ValueAccesses &accesses : all.carried)
      look(accesses, isWritten);
    for (const auto &[value, accesses] : all.outer)
      look(accesses, isWritten);
  }
  return isReversed;
}

LoopAccesses AccessFinder::run() {
  LoopAccesses all;
  for (unsigned number = 0; number < loop->getNumOperands(); ++number)
    all.carried.push_back(collect(layer.getArgument(number), number));
  for (Value value : findOuterValues())
    all.outer.emplace_back(value, collect(value, std::nullopt));
  all.isReversed = findDirection(all);
  return all;
}

bool LoopAccesses::isStack(const ValueAccesses &accesses) const {
  if (!accesses.isComplete || accesses.list.empty())
    return false;
  const StackAccess &first = accesses.list.front().second;
  return llvm::all_of(accesses.list, [&](const auto &entry) {
    return entry.second.dim == first.dim && std::abs(entry.second.index.slope) == std::abs(first.index.slope) &&
           (entry.second.index.slope < 0) == isReversed;
  });
}

LoopAccesses findStackAccesses(stablehlo::WhileOp loop, const CountedLoop &count) {
  return AccessFinder(loop, count).run();
}

} // namespace partita::pipeline
