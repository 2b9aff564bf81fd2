//===- LayerLoopChoice.cpp - which loops become pipelines -----------------===//

#include "partita/Pipeline/LayerLoopChoice.h"

#include "partita/Program/LoopAffine.h"
#include "partita/Program/Loops.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace partita::pipeline {

namespace {

class LoopChooser {
public:
  LoopChooser(func::FuncOp main, const llvm::DenseSet<unsigned> &stacks, const llvm::DenseSet<unsigned> &batch,
              int64_t numStages)
      : main(main), stacks(stacks), batch(batch), numStages(numStages) {}

  LayerLoopChoice run();

private:
  bool isOwnStack(Value value) const;

  func::FuncOp main;
  const llvm::DenseSet<unsigned> &stacks, &batch;
  int64_t numStages;
  LayerLoopChoice choice;
  /// What chosen loops have stacked.
  llvm::DenseSet<Value> written;
};

} // namespace

bool isLayerWeight(Value value, const llvm::DenseSet<unsigned> &stacks, const llvm::DenseSet<unsigned> &batch) {
  llvm::SetVector<Value> seen;
  seen.insert(value);
  bool isNamed = false;
  for (size_t next = 0; next < seen.size(); ++next) {
    if (auto argument = dyn_cast<BlockArgument>(seen[next])) {
      if (batch.contains(argument.getArgNumber()))
        return false;
      isNamed |= stacks.contains(argument.getArgNumber());
      continue;
    }
    Operation *op = seen[next].getDefiningOp();
    if (op->getNumRegions() > 0 && !isa<stablehlo::ReduceOp>(op))
      return false;
    seen.insert(op->operand_begin(), op->operand_end());
  }
  return isNamed;
}

/// One step back through an op that keeps dims.
static Value stepBack(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (isa<stablehlo::OptimizationBarrierOp>(result.getOwner()))
    return result.getOwner()->getOperand(result.getResultNumber());
  auto convert = dyn_cast<stablehlo::ConvertOp>(result.getOwner());
  return convert ? convert.getOperand() : Value();
}

bool LoopChooser::isOwnStack(Value value) const {
  for (; value; value = stepBack(value))
    if (written.contains(value))
      return true;
  return false;
}

/// The arguments that are put together, each of them of one layer.
static void addLayerArguments(stablehlo::ConcatenateOp stack, const llvm::DenseSet<unsigned> &stacks,
                              LayerLoopChoice &choice) {
  for (Value value : stack.getInputs()) {
    while (Operation *op = value.getDefiningOp()) {
      Value before = isa<stablehlo::ReshapeOp>(op) ? op->getOperand(0) : stepBack(value);
      if (!before)
        break;
      value = before;
    }
    if (auto argument = dyn_cast<BlockArgument>(value); argument && stacks.contains(argument.getArgNumber()))
      choice.layerArguments.insert(argument.getArgNumber());
  }
}

void addStackedArgument(Value value, unsigned dim, bool isCut, const llvm::DenseSet<unsigned> &stacks,
                        LayerLoopChoice &choice) {
  while (true) {
    Operation *op = value.getDefiningOp();
    bool isUneven = op && isa<stablehlo::SliceOp, stablehlo::PadOp>(op);
    Value before = isUneven ? op->getOperand(0) : stepBack(value);
    if (!before)
      break;
    isCut |= isUneven;
    value = before;
  }
  if (auto stack = value.getDefiningOp<stablehlo::ConcatenateOp>(); stack && stack.getDimension() == dim)
    addLayerArguments(stack, stacks, choice);
  if (auto argument = dyn_cast<BlockArgument>(value); argument && stacks.contains(argument.getArgNumber()))
    (isCut ? choice.cutArguments : choice.stackedArguments).try_emplace(argument.getArgNumber(), dim);
}

LayerLoopChoice LoopChooser::run() {
  for (auto loop : main.getBody().front().getOps<stablehlo::WhileOp>()) {
    std::optional<CountedLoop> counted = analyzeLoop(loop);
    if (!counted || counted->tripCount < 1 || counted->tripCount % numStages != 0)
      continue;
    auto getOuter = [&](const SteppedOperand &step) {
      return step.carried ? loop->getOperand(*step.carried) : step.value;
    };
    bool isChosen = llvm::any_of(counted->stepped, [&](const SteppedOperand &step) {
      return step.isRead && (isLayerWeight(getOuter(step), stacks, batch) || isOwnStack(getOuter(step)));
    });
    if (!isChosen)
      continue;
    choice.loops.push_back(loop);
    for (const SteppedOperand &step : counted->stepped) {
      if (step.isWritten && step.carried)
        written.insert(loop->getResult(*step.carried));
      if (step.isRead)
        addStackedArgument(getOuter(step), step.dim, /*isCut=*/false, stacks, choice);
    }
  }
  return std::move(choice);
}

LayerLoopChoice chooseLayerLoops(func::FuncOp main, const llvm::DenseSet<unsigned> &stacks,
                                 const llvm::DenseSet<unsigned> &batch, int64_t numStages) {
  return LoopChooser(main, stacks, batch, numStages).run();
}

void replaceKnownResults(func::FuncOp main) {
  for (auto loop : main.getBody().front().getOps<stablehlo::WhileOp>()) {
    for (auto [number, result] : llvm::enumerate(loop.getResults()))
      if (!result.use_empty() && isInvariant(loop, number))
        result.replaceAllUsesWith(loop->getOperand(number));
    std::optional<CountedLoop> counted = analyzeLoop(loop);
    if (!counted)
      continue;
    OpBuilder builder(loop->getContext());
    builder.setInsertionPointAfter(loop);
    for (const LoopCounter &counter : counted->counters) {
      Value result = loop->getResult(counter.carried);
      auto type = cast<RankedTensorType>(result.getType());
      auto integer = dyn_cast<IntegerType>(type.getElementType());
      std::optional<int64_t> last = Affine{counter.start, counter.step}.at(counted->tripCount);
      if (result.use_empty() || !integer || !last)
        continue;
      APInt number(64, *last, /*isSigned=*/true);
      auto attribute = DenseElementsAttr::get(type, number.sextOrTrunc(integer.getWidth()));
      result.replaceAllUsesWith(stablehlo::ConstantOp::create(builder, loop.getLoc(), type, attribute));
    }
  }
}

} // namespace partita::pipeline
