//===- StraightCode.cpp - values that cross in straight code --------------===//

#include "partita/Remat/StraightCode.h"

#include "partita/Program/Effects.h"

using namespace mlir;

namespace partita::remat {

//===----------------------------------------------------------------------===//
// LayerMap
//===----------------------------------------------------------------------===//

LayerMap::LayerMap(const ProgramIndex &index)
    : index(index), topology(index.getGraph()), repetition(findRepetition(topology)), chains(topology, repetition),
      previous(index.getGraph().ops.size()) {
  for (OpId op : idRange<OpId>(previous.size()))
    if (OpId next = repetition.nextOps[op]; next.isValid())
      previous[next] = op;
}

OpId LayerMap::findFirst(OpId op) const {
  OpId first = op;
  // Chains have ends, but a bound costs nothing.
  for (size_t steps = 0; steps < previous.size() && previous[first].isValid() && previous[first] != op; ++steps)
    first = previous[first];
  return first;
}

std::pair<int64_t, int32_t> LayerMap::getLayer(Operation *op) const {
  OpId id = index.getOp(op);
  ChainId chain = id.isValid() ? chains.getChain(chains.getItem(id)) : ChainId();
  if (!chain.isValid())
    return {-1, 0};
  return {chains[chain].map.get(), chains.getPosition(chains.getItem(id))};
}

//===----------------------------------------------------------------------===//
// The seam
//===----------------------------------------------------------------------===//

static bool isForward(const ProgramIndex &index, Operation *op) { return index.isIn(op, Phase::Forward); }

/// Whether an op of the backward pass uses a result.
static bool feedsBackward(const ProgramIndex &index, Operation *op, Block &block) {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    Operation *around = block.findAncestorOpInBlock(*user);
    return around && !isForward(index, around) && index.isIn(around, Phase::Backward);
  });
}

/// A backward pass has products. Without them, these are ops of the forward pass that only gradients need.
static bool hasProduct(const ProgramIndex &index, Operation *op) {
  return op
      ->walk([&](Operation *inside) {
        OpId id = index.getOp(inside);
        bool isProduct = id.isValid() && index.getGraph().ops[id].opClass == OpClass::Contraction;
        return isProduct ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

StraightCode::StraightCode(Block &block, const ProgramIndex &index, const LayerMap &layers)
    : block(block), index(index), layers(layers) {
  bool isBackwardPass = false;
  for (Operation &op : llvm::reverse(block)) {
    bool isForwardOp = isForward(index, &op);
    isBackwardPass |= !isForwardOp && index.isIn(&op, Phase::Backward) && hasProduct(index, &op);
    if (isBackwardPass && isForwardOp && feedsBackward(index, &op, block)) {
      seam = &op;
      return;
    }
  }
}

bool StraightCode::isBehindSeam(Operation *op) const {
  Operation *around = findInBlock(op);
  return around && seam->isBeforeInBlock(around);
}

bool StraightCode::isBackward(Operation *op) const {
  Operation *around = findInBlock(op);
  return around && isBehindSeam(around) && !isForward(index, around);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool StraightCode::isCrossing(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return isBackward(user); });
}

/// Whether the value is kept whatever is recomputed: other layers start from it, or the block gives it back.
bool StraightCode::isPassedOn(Value value) const {
  auto layer = layers.getLayer(value.getDefiningOp());
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    Operation *around = findInBlock(user);
    if (around->hasTrait<OpTrait::IsTerminator>())
      return true;
    return !isBehindSeam(around) && index.getOp(around).isValid() && layers.getLayer(around) != layer;
  });
}

bool StraightCode::mayBeRecomputed(Value value) const {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumElements() > 1 && index.getOp(op).isValid() && op->getNumRegions() <= 1 &&
         mayRunAgain(op) && isCrossing(value) && !isPassedOn(value);
}

std::vector<Value> StraightCode::findCrossing() const {
  std::vector<Value> crossing;
  for (Operation &op : block) {
    if (&op == seam->getNextNode())
      break;
    llvm::copy_if(op.getResults(), std::back_inserter(crossing), [&](Value value) { return mayBeRecomputed(value); });
  }
  return crossing;
}

Cone StraightCode::findCone(ArrayRef<Value> values, const llvm::DenseSet<Value> &dropped) const {
  auto layer = layers.getLayer(values.front().getDefiningOp());
  return remat::findCone(values, block, [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (index.isFree(op))
      return false;
    bool isKept = isCrossing(value) && !dropped.contains(value);
    return isKept || !index.getOp(op).isValid() || op->getNumRegions() > 1 || layers.getLayer(op) != layer;
  });
}

} // namespace partita::remat
