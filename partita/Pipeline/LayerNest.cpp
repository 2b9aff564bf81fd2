//===- LayerNest.cpp - a layer loop inside of a loop over microbatches ----===//

#include "partita/Pipeline/LayerNest.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Remat/LayerLoops.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

/// The slices and updates of one value, in all versions that updates make of it.
struct ValueAccesses {
  std::vector<std::pair<Operation *, StackAccess>> list;
  bool isWritten = false;
  /// Nothing else uses it.
  bool isComplete = true;
};

class NestFinder {
public:
  NestFinder(stablehlo::WhileOp micro, int64_t numStages) : numStages(numStages) { nest.micro = micro; }

  Result<LayerNest> run();

private:
  std::optional<StackAccess> findAccess(Operation *op, OpOperand &use, AffineEvaluator &evaluator) const;
  ValueAccesses collect(Value value, std::optional<unsigned> number, AffineEvaluator &evaluator) const;
  /// Whether the accesses make a stack that is stepped through in the nest's direction.
  bool isStack(const ValueAccesses &accesses) const;
  void addAccesses(const ValueAccesses &accesses);
  Status setDirection(ArrayRef<ValueAccesses> carried, ArrayRef<std::pair<Value, ValueAccesses>> outer);
  Status setRole(unsigned number, const ValueAccesses &accesses);
  std::optional<unsigned> findRunning(unsigned number) const;
  bool isSum(unsigned number) const;
  SmallVector<Value> findOuterValues() const;

  int64_t numStages;
  CountedLoop count;
  LayerNest nest;
};

} // namespace

static Error refuse(Operation *op, const std::string &why) {
  return Error::unsupported(locationOf(op), "no pipeline: " + why);
}

/// The slices of a stack: one dim is stepped through so that layer k has the k-th of L equal parts of it, from the
/// first or from the last. All others are taken whole.
std::optional<StackAccess> NestFinder::findAccess(Operation *op, OpOperand &use, AffineEvaluator &evaluator) const {
  if (op->getBlock() != &nest.getLayer() || use.getOperandNumber() != 0 ||
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
        std::abs(index->slope) * nest.numLayers != shape[dim])
      return std::nullopt;
    int64_t step = std::abs(index->slope);
    std::optional<int64_t> lowest = index->at(index->slope > 0 ? 0 : nest.numLayers - 1);
    if (!lowest || *lowest < 0 || *lowest + sizes[dim] > step)
      return std::nullopt;
    found = StackAccess{static_cast<unsigned>(dim), *index};
  }
  return found;
}

/// `number`: among the carried values.
ValueAccesses NestFinder::collect(Value value, std::optional<unsigned> number, AffineEvaluator &evaluator) const {
  ValueAccesses accesses;
  Operation *end = nest.getLayer().getTerminator();
  SmallVector<Value> versions{value};
  for (size_t next = 0; next < versions.size(); ++next)
    for (OpOperand &use : versions[next].getUses()) {
      Operation *user = use.getOwner();
      if (!nest.layers->isProperAncestor(user))
        continue;
      bool isYielded = user == end && number && use.getOperandNumber() == *number;
      std::optional<StackAccess> access = isYielded ? std::nullopt : findAccess(user, use, evaluator);
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

bool NestFinder::isStack(const ValueAccesses &accesses) const {
  if (!accesses.isComplete || accesses.list.empty())
    return false;
  const StackAccess &first = accesses.list.front().second;
  return llvm::all_of(accesses.list, [&](const auto &entry) {
    return entry.second.dim == first.dim && std::abs(entry.second.index.slope) == std::abs(first.index.slope) &&
           (entry.second.index.slope < 0) == nest.isReversed;
  });
}

void NestFinder::addAccesses(const ValueAccesses &accesses) {
  for (const auto &[op, access] : accesses.list)
    nest.accesses[op] = access;
}

/// The values from outside that the layers slice.
SmallVector<Value> NestFinder::findOuterValues() const {
  llvm::SetVector<Value> found;
  for (Operation &op : nest.getLayer())
    if (auto slice = dyn_cast<stablehlo::DynamicSliceOp>(op))
      if (!nest.layers->isProperAncestor(slice.getOperand().getParentBlock()->getParentOp()) &&
          slice.getOperand().getParentBlock()->getParentOp() != nest.layers)
        found.insert(slice.getOperand());
  return found.takeVector();
}

/// The direction of what is written, or of what is read first.
Status NestFinder::setDirection(ArrayRef<ValueAccesses> carried, ArrayRef<std::pair<Value, ValueAccesses>> outer) {
  std::optional<bool> isReversed;
  auto look = [&](const ValueAccesses &accesses, bool isWritten) {
    if (!isReversed && accesses.isComplete && !accesses.list.empty() && accesses.isWritten == isWritten)
      isReversed = accesses.list.front().second.index.slope < 0;
  };
  for (bool isWritten : {true, false}) {
    for (const ValueAccesses &accesses : carried)
      look(accesses, isWritten);
    for (const auto &[value, accesses] : outer)
      look(accesses, isWritten);
  }
  if (!isReversed)
    return refuse(nest.layers, "this loop has no stacked weights, of which each iteration takes its slice");
  nest.isReversed = *isReversed;
  return std::nullopt;
}

/// The loop over microbatches carries it from one turn to the next, through this value of the layer loop.
std::optional<unsigned> NestFinder::findRunning(unsigned number) const {
  auto argument = dyn_cast<BlockArgument>(nest.layers->getOperand(number));
  if (!argument || argument.getOwner() != &nest.getTurn())
    return std::nullopt;
  unsigned outer = argument.getArgNumber();
  Value next = nest.getTurn().getTerminator()->getOperand(outer);
  return next == nest.layers->getResult(number) ? std::optional(outer) : std::nullopt;
}

/// Whether each layer adds something to the value that does not depend on it.
bool NestFinder::isSum(unsigned number) const {
  BlockArgument argument = nest.getLayer().getArgument(number);
  auto add = nest.getLayer().getTerminator()->getOperand(number).getDefiningOp<stablehlo::AddOp>();
  return add && add->getBlock() == &nest.getLayer() && argument.hasOneUse() && *argument.user_begin() == add &&
         add->hasOneUse() && add.getLhs() != add.getRhs();
}

Status NestFinder::setRole(unsigned number, const ValueAccesses &accesses) {
  CarriedValue &value = nest.carried[number];
  for (const LoopCounter &counter : count.counters)
    if (counter.carried == number) {
      value.role = CarriedRole::Counter;
      value.counter = counter;
      return std::nullopt;
    }
  bool isUnchanged = nest.getLayer().getTerminator()->getOperand(number) == nest.getLayer().getArgument(number);
  value.running = isUnchanged ? std::nullopt : findRunning(number);
  if (isStack(accesses)) {
    value.role = CarriedRole::Stack;
    value.dim = accesses.list.front().second.dim;
    addAccesses(accesses);
  } else if (isUnchanged) {
    value.role = CarriedRole::Invariant;
  } else if (value.running) {
    value.role = CarriedRole::Sum;
    if (!isSum(number))
      return refuse(nest.layers, "value " + std::to_string(number) +
                                     " that this loop carries is neither a sum nor a stack of slices");
  }
  return std::nullopt;
}

Result<LayerNest> NestFinder::run() {
  std::optional<CountedLoop> turns = analyzeLoop(nest.micro);
  SmallVector<stablehlo::WhileOp> loops(nest.getTurn().getOps<stablehlo::WhileOp>());
  if (!turns || loops.size() != 1)
    return Error::internal("a loop over microbatches without one layer loop");
  nest.layers = loops.front();
  nest.numMicrobatches = turns->tripCount;
  std::string why;
  std::optional<CountedLoop> counted = analyzeLoop(nest.layers, &why);
  if (!counted)
    return refuse(nest.layers, "the number of layers is not known: " + why);
  count = std::move(*counted);
  nest.numLayers = count.tripCount;
  if (nest.numLayers % numStages != 0 || nest.numLayers == 0)
    return refuse(nest.layers, "this loop has " + std::to_string(nest.numLayers) + " iterations, which are not " +
                                   std::to_string(numStages) + " equal stages")
        .withRemedy("choose a mesh axis that divides the number of layers");
  AffineEvaluator evaluator = makeEvaluator(nest.layers, count);
  std::vector<ValueAccesses> accesses;
  for (unsigned number = 0; number < nest.layers->getNumOperands(); ++number)
    accesses.push_back(collect(nest.getLayer().getArgument(number), number, evaluator));
  std::vector<std::pair<Value, ValueAccesses>> outer;
  for (Value value : findOuterValues())
    outer.emplace_back(value, collect(value, std::nullopt, evaluator));
  if (Status wrong = setDirection(accesses, outer))
    return std::move(*wrong);
  nest.carried.resize(accesses.size());
  for (auto [number, found] : llvm::enumerate(accesses))
    if (Status wrong = setRole(number, found))
      return std::move(*wrong);
  for (const auto &[value, found] : outer)
    if (isStack(found)) {
      nest.outerStacks[value] = found.list.front().second.dim;
      addAccesses(found);
    }
  return std::move(nest);
}

Result<LayerNest> findLayerNest(stablehlo::WhileOp micro, int64_t numStages) {
  return NestFinder(micro, numStages).run();
}

} // namespace partita::pipeline
