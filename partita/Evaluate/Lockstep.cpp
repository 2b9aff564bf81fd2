//===- Lockstep.cpp - blocks as lists of steps with value slots -----------===//

#include "partita/Evaluate/Lockstep.h"

#include "partita/Evaluate/Work.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace partita::evaluate {

/// The values of a block that are still to be read, from its end to its beginning.
struct Lockstep::LastUses {
  Block *block;
  llvm::DenseSet<Value> read;

  /// True on the first call for a value of the block: going backward, that use is the last.
  bool take(Value value) { return value.getParentBlock() == block && read.insert(value).second; }
};

std::optional<Slot> Lockstep::assignSlot(Value value) {
  if (value.use_empty())
    return std::nullopt;
  return slots.try_emplace(value, slots.size()).first->second;
}

/// Must be called from a block's last op to its first.
Step Lockstep::buildStep(Operation &op, LastUses &lastUses) {
  Step step;
  step.op = &op;
  step.work = estimateWork(&op);
  step.function = getOpTable().find(&op);
  step.crossDeviceFunction = getCrossDeviceOps().find(&op);
  // A value that a region reads must stay until the op is done, even if it is an operand too.
  for (Region &region : op.getRegions())
    region.walk([&](Operation *inner) {
      for (Value value : inner->getOperands())
        if (lastUses.take(value))
          step.dead.push_back(*assignSlot(value));
    });
  step.operands.resize(op.getNumOperands());
  for (size_t index = op.getNumOperands(); index-- > 0;) {
    Value value = op.getOperand(index);
    step.operands[index] = {*assignSlot(value), lastUses.take(value)};
  }
  for (Value result : op.getResults()) {
    step.results.push_back(assignSlot(result));
    if (auto type = dyn_cast<RankedTensorType>(result.getType()))
      step.resultBytes = addSaturated(step.resultBytes, computeBytes(type, mode));
  }
  return step;
}

BlockSchedule Lockstep::build(Block &block) {
  BlockSchedule schedule;
  for (Value argument : block.getArguments())
    schedule.arguments.push_back(assignSlot(argument));
  LastUses lastUses{&block, {}};
  for (Operation &op : llvm::reverse(block)) {
    Step step = buildStep(op, lastUses);
    if (op.hasTrait<OpTrait::IsTerminator>())
      schedule.returned = std::move(step.operands);
    else
      schedule.steps.push_back(std::move(step));
  }
  std::reverse(schedule.steps.begin(), schedule.steps.end());
  return schedule;
}

const BlockSchedule &Lockstep::get(Block &block) {
  std::unique_ptr<BlockSchedule> &schedule = blocks[&block];
  if (!schedule)
    schedule = std::make_unique<BlockSchedule>(build(block));
  return *schedule;
}

} // namespace partita::evaluate
