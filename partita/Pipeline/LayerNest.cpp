//===- LayerNest.cpp - a layer loop inside of a loop over microbatches ----===//

#include "partita/Pipeline/LayerNest.h"

#include "partita/Dialect/Diagnostics.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

class NestFinder {
public:
  NestFinder(stablehlo::WhileOp micro, StageBlocks blocks) : blocks(blocks) { nest.micro = micro; }

  Result<LayerNest> run();

private:
  void addAccesses(const ValueAccesses &accesses);
  Status setRole(unsigned number, const LoopAccesses &all);
  std::optional<unsigned> findRunning(unsigned number) const;
  bool isSum(unsigned number) const;

  StageBlocks blocks;
  CountedLoop count;
  LayerNest nest;
};

} // namespace

static Error refuse(Operation *op, const std::string &why) {
  return Error::unsupported(locationOf(op), "no pipeline: " + why);
}

void NestFinder::addAccesses(const ValueAccesses &accesses) {
  for (const auto &[op, access] : accesses.list)
    nest.accesses[op] = access;
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

Status NestFinder::setRole(unsigned number, const LoopAccesses &all) {
  const ValueAccesses &accesses = all.carried[number];
  CarriedValue &value = nest.carried[number];
  for (const LoopCounter &counter : count.counters)
    if (counter.carried == number) {
      value.role = CarriedRole::Counter;
      value.counter = counter;
      return std::nullopt;
    }
  bool isUnchanged = nest.getLayer().getTerminator()->getOperand(number) == nest.getLayer().getArgument(number);
  value.running = isUnchanged ? std::nullopt : findRunning(number);
  if (all.isStack(accesses)) {
    value.role = CarriedRole::Stack;
    value.dim = accesses.list.front().second.dim;
    addAccesses(accesses);
  } else if (isUnchanged) {
    value.role = CarriedRole::Invariant;
  } else if (value.running) {
    value.role = CarriedRole::Sum;
    if (!isSum(number))
      return refuse(nest.layers, "value " + std::to_string(number) +
                                     " that this loop carries from one microbatch to the next is neither a sum nor a "
                                     "stack of slices")
          .withRemedy("let each layer add to it, or write a slice of its own (what lax.scan stacks)");
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
    return refuse(nest.layers, "the number of layers is not known: " + why)
        .withRemedy("step through the layers with lax.scan, or with lax.fori_loop and constant bounds");
  count = std::move(*counted);
  nest.numLayers = count.tripCount;
  if (nest.numLayers % blocks.count() != 0 || nest.numLayers == 0)
    return refuse(nest.layers, "this loop has " + std::to_string(nest.numLayers) + " iterations, which are not " +
                                   blocks.str() + " of equal size")
        .withRemedy("choose a mesh axis that divides the number of layers");
  LoopAccesses accesses = findStackAccesses(nest.layers, count);
  if (!accesses.isReversed)
    return refuse(nest.layers, "this loop has no stacked weights, of which each iteration takes its slice")
        .withRemedy("stack the weights of all layers along one dim and scan over it (jax.lax.scan)");
  nest.isReversed = *accesses.isReversed;
  nest.carried.resize(accesses.carried.size());
  for (unsigned number = 0; number < nest.carried.size(); ++number)
    if (Status wrong = setRole(number, accesses))
      return std::move(*wrong);
  for (const auto &[value, found] : accesses.outer)
    if (accesses.isStack(found)) {
      nest.outerStacks[value] = found.list.front().second.dim;
      addAccesses(found);
    }
  return std::move(nest);
}

Result<LayerNest> findLayerNest(stablehlo::WhileOp micro, StageBlocks blocks) {
  return NestFinder(micro, blocks).run();
}

} // namespace partita::pipeline
