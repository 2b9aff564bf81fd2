//===- LayerLoops.cpp - pairs of loops, and the stacks between them -------===//

#include "partita/Remat/LayerLoops.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::remat {

AffineEvaluator makeEvaluator(stablehlo::WhileOp loop, const CountedLoop &count) {
  AffineEvaluator evaluator(Iterations{std::max<int64_t>(count.tripCount - 1, 0)});
  for (const LoopCounter &counter : count.counters)
    evaluator.bind(loop.getBody().front().getArgument(counter.carried), {counter.start, counter.step});
  return evaluator;
}

std::optional<Affine> LayerLoops::toForward(Affine ofBackward) const {
  // k = base + slope * k', and slope, 1 or -1, is its own inverse.
  Affine moved{ofBackward.base, ofBackward.slope * iteration.slope};
  int64_t offset;
  if (llvm::MulOverflow(moved.slope, iteration.base, offset) || llvm::SubOverflow(moved.base, offset, moved.base))
    return std::nullopt;
  return moved;
}

bool isReshape(Operation *op) {
  if (!isa_and_nonnull<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(op))
    return false;
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (from.getNumElements() != to.getNumElements())
    return false;
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  return !broadcast || llvm::is_sorted(broadcast.getBroadcastDimensions());
}

namespace {

/// The slices of one dim that an op reads or writes, one in each iteration.
struct Slices {
  unsigned dim = 0;
  Affine index;
};

class PairFinder {
public:
  explicit PairFinder(ModuleOp module) : module(module) {}

  std::vector<LayerLoops> run();

private:
  void findStacks(stablehlo::WhileOp forward);
  std::optional<LayerStack> findWritten(stablehlo::WhileOp forward, unsigned index, AffineEvaluator &evaluator);
  bool addReads(stablehlo::WhileOp backward, AffineEvaluator &evaluator, LayerStack &stack, Affine &index);
  void add(stablehlo::WhileOp forward, stablehlo::WhileOp backward, LayerStack stack);
  const std::optional<CountedLoop> &count(stablehlo::WhileOp loop);

  ModuleOp module;
  llvm::DenseMap<Operation *, std::optional<CountedLoop>> counts;
  std::vector<LayerLoops> pairs;
};

} // namespace

const std::optional<CountedLoop> &PairFinder::count(stablehlo::WhileOp loop) {
  auto [it, isNew] = counts.try_emplace(loop);
  if (isNew)
    it->second = analyzeLoop(loop);
  return it->second;
}

/// Slices of size 1 along one dim, within bounds in each of `trips` iterations, and whole along the others.
static std::optional<Slices> findSlices(ValueRange starts, ArrayRef<int64_t> sizes, RankedTensorType stack,
                                        AffineEvaluator &evaluator, int64_t trips) {
  std::optional<Slices> found;
  for (auto [dim, start] : llvm::enumerate(starts)) {
    std::optional<Affine> index = evaluator.evaluate(start);
    if (!index)
      return std::nullopt;
    if (index->isConstant()) {
      if (index->base != 0 || sizes[dim] != stack.getDimSize(dim))
        return std::nullopt;
      continue;
    }
    std::optional<int64_t> first = index->at(0), last = index->at(trips - 1);
    bool isInside = first && last && std::min(*first, *last) >= 0 && std::max(*first, *last) < stack.getDimSize(dim);
    if (found || sizes[dim] != 1 || !isInside)
      return std::nullopt;
    found = Slices{static_cast<unsigned>(dim), *index};
  }
  return found;
}

/// The stack that the loop carries as its `index`-th value, if it does nothing but write a slice in each iteration.
std::optional<LayerStack> PairFinder::findWritten(stablehlo::WhileOp forward, unsigned index,
                                                  AffineEvaluator &evaluator) {
  Block &body = forward.getBody().front();
  BlockArgument argument = body.getArgument(index);
  auto update = body.getTerminator()->getOperand(index).getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
  if (!update || update->getBlock() != &body || update.getOperand() != argument || !argument.hasOneUse() ||
      !update->hasOneUse() || !forward.getCond().front().getArgument(index).use_empty())
    return std::nullopt;
  auto type = cast<RankedTensorType>(argument.getType());
  ArrayRef<int64_t> sizes = cast<RankedTensorType>(update.getUpdate().getType()).getShape();
  std::optional<Slices> slices =
      findSlices(update.getStartIndices(), sizes, type, evaluator, count(forward)->tripCount);
  if (!slices)
    return std::nullopt;
  LayerStack stack;
  stack.forward = index;
  stack.update = update;
  stack.written = update.getUpdate();
  while (isReshape(stack.written.getDefiningOp()))
    stack.written = stack.written.getDefiningOp()->getOperand(0);
  stack.dim = slices->dim;
  stack.index = slices->index;
  return stack;
}

/// Adds the reads of the stack, which all have one index; false if the loop does something else with it.
bool PairFinder::addReads(stablehlo::WhileOp backward, AffineEvaluator &evaluator, LayerStack &stack, Affine &index) {
  Block &body = backward.getBody().front();
  BlockArgument argument = body.getArgument(stack.backward);
  if (!backward.getResult(stack.backward).use_empty() ||
      !backward.getCond().front().getArgument(stack.backward).use_empty() ||
      body.getTerminator()->getOperand(stack.backward) != argument)
    return false;
  auto type = cast<RankedTensorType>(argument.getType());
  for (OpOperand &use : argument.getUses()) {
    if (use.getOwner() == body.getTerminator() && use.getOperandNumber() == stack.backward)
      continue;
    auto read = dyn_cast<stablehlo::DynamicSliceOp>(use.getOwner());
    if (!read || read->getBlock() != &body)
      return false;
    std::optional<Slices> slices =
        findSlices(read.getStartIndices(), read.getSliceSizes(), type, evaluator, count(backward)->tripCount);
    if (!slices || slices->dim != stack.dim || (!stack.reads.empty() && slices->index != index))
      return false;
    index = slices->index;
    stack.reads.push_back(read);
  }
  // Uses are listed last to first.
  llvm::sort(stack.reads, [](auto a, auto b) { return a->isBeforeInBlock(b); });
  return !stack.reads.empty();
}

/// The forward iteration that writes the slice that is read at `read`; nothing if it is no integer, 1 or -1 apart.
static std::optional<Affine> findIteration(Affine written, Affine read) {
  int64_t distance = read.base - written.base;
  if (std::abs(written.slope) != std::abs(read.slope) || distance % written.slope != 0)
    return std::nullopt;
  return Affine{distance / written.slope, read.slope / written.slope};
}

/// Adds the stack to the pair of these loops, if it agrees with the others about the iterations.
void PairFinder::add(stablehlo::WhileOp forward, stablehlo::WhileOp backward, LayerStack stack) {
  AffineEvaluator evaluator = makeEvaluator(backward, *count(backward));
  Affine read;
  if (!addReads(backward, evaluator, stack, read))
    return;
  std::optional<Affine> iteration = findIteration(stack.index, read);
  if (!iteration)
    return;
  for (int64_t k : {int64_t(0), count(backward)->tripCount - 1})
    if (std::optional<int64_t> writing = iteration->at(k);
        !writing || *writing < 0 || *writing >= count(forward)->tripCount)
      return;
  for (LayerLoops &pair : pairs) {
    if (pair.forward == forward && pair.backward == backward && pair.iteration == *iteration)
      return pair.stacks.push_back(std::move(stack));
    // A loop of another pair, or other iterations. What a backward loop stacks may be read by a third loop.
    if (pair.forward == forward || pair.backward == backward || pair.backward == forward || pair.forward == backward)
      return;
  }
  pairs.push_back({forward, backward, *count(forward), *count(backward), *iteration, {std::move(stack)}});
}

/// The only use of a loop's result, behind reshapes that lead back to its type; null if there is another.
static OpOperand *findOnlyUse(OpResult result, SmallVectorImpl<stablehlo::ReshapeOp> &reshapes) {
  Value value = result;
  while (value.hasOneUse()) {
    auto reshape = dyn_cast<stablehlo::ReshapeOp>(*value.user_begin());
    if (!reshape)
      return value.getType() == result.getType() ? &*value.use_begin() : nullptr;
    if (reshape->getBlock() != result.getOwner()->getBlock())
      return nullptr;
    reshapes.push_back(reshape);
    value = reshape.getResult();
  }
  return nullptr;
}

void PairFinder::findStacks(stablehlo::WhileOp forward) {
  if (!count(forward) || count(forward)->tripCount < 1)
    return;
  AffineEvaluator evaluator = makeEvaluator(forward, *count(forward));
  for (auto [index, result] : llvm::enumerate(forward->getResults())) {
    SmallVector<stablehlo::ReshapeOp, 0> reshapes;
    OpOperand *use = findOnlyUse(result, reshapes);
    auto backward = use ? dyn_cast<stablehlo::WhileOp>(use->getOwner()) : stablehlo::WhileOp();
    if (!backward || backward->getBlock() != forward->getBlock() || !count(backward) ||
        count(backward)->tripCount < 1 || std::abs(count(backward)->induction.step) != 1)
      continue;
    if (std::optional<LayerStack> stack = findWritten(forward, index, evaluator)) {
      stack->backward = use->getOperandNumber();
      stack->reshapes = std::move(reshapes);
      add(forward, backward, std::move(*stack));
    }
  }
}

std::vector<LayerLoops> PairFinder::run() {
  module.walk<WalkOrder::PreOrder>([&](stablehlo::WhileOp loop) { findStacks(loop); });
  return std::move(pairs);
}

std::vector<LayerLoops> findLayerLoops(ModuleOp module) { return PairFinder(module).run(); }

} // namespace partita::remat
