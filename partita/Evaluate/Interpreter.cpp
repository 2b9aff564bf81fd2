//===- Interpreter.cpp - runs blocks on devices in lock step --------------===//

#include "partita/Evaluate/Interpreter.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Evaluate/Observer.h"
#include "partita/Evaluate/Work.h"
#include "partita/Support/Limits.h"
#include "partita/Support/Saturating.h"

using namespace mlir;

namespace partita::evaluate {

Result<Values> RegionsOnDevice::run(Region &region, ArrayRef<Tensor> arguments) {
  Block &block = region.front();
  interpreter.enter(block, device, arguments);
  if (Status error = interpreter.run(block, device))
    return std::move(*error);
  return interpreter.leave(block, device);
}

Interpreter::Interpreter(ModuleOp module, const EvaluatorOptions &options)
    : module(module), options(options), mode(options.exact ? Mode::Exact : Mode::Float), schedule(mode) {
  setNumDevices(options.devices);
}

void Interpreter::setNumDevices(int64_t count) { memory.resize(count); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Tensor Interpreter::read(int64_t device, const Use &use) {
  Tensor &value = memory[device][use.slot];
  return use.isLast ? std::exchange(value, Tensor()) : value;
}

Values Interpreter::readOperands(int64_t device, const Step &step) {
  Values operands;
  operands.reserve(step.operands.size());
  for (const Use &use : step.operands)
    operands.push_back(read(device, use));
  return operands;
}

void Interpreter::write(int64_t device, const Step &step, unsigned result, Tensor value) {
  if (options.observer)
    options.observer->seeResult(step.op, result, device, value);
  if (std::optional<Slot> slot = step.results[result])
    memory[device][*slot] = std::move(value);
}

void Interpreter::writeResults(int64_t device, const Step &step, Values values) {
  for (auto [index, value] : llvm::enumerate(values))
    write(device, step, index, std::move(value));
}

void Interpreter::enter(Block &block, int64_t device, ArrayRef<Tensor> arguments) {
  const BlockSchedule &plan = schedule.get(block);
  std::vector<Tensor> &slots = memory[device];
  if (slots.size() < schedule.getNumSlots())
    slots.resize(schedule.getNumSlots());
  for (auto [slot, argument] : llvm::zip_equal(plan.arguments, arguments))
    if (slot)
      slots[*slot] = argument;
}

Values Interpreter::leave(Block &block, int64_t device) {
  Values returned;
  for (const Use &use : schedule.get(block).returned)
    returned.push_back(read(device, use));
  return returned;
}

const Tensor &Interpreter::getConstant(Operation *op, ElementsAttr value) {
  auto [it, isNew] = constants.try_emplace(op);
  if (isNew)
    it->second = makeConstant(value, mode);
  return it->second;
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

std::string Interpreter::getAwayReason(int64_t device) const {
  auto found = awayReasons.find(device);
  return found == awayReasons.end() || found->second.empty() ? "does not take part here" : found->second.back();
}

Status Interpreter::spend(const Step &step, int64_t count) {
  // Memory that was allocated since the last step counts as work too.
  int64_t takenBytes = getTakenBytes() - seenBytes;
  seenBytes += takenBytes;
  work = addSaturated(addSaturated(work, takenBytes), multiplySaturated(step.work, count));
  steps += count;
  if (steps <= options.maxSteps && work <= options.maxWork)
    return std::nullopt;
  std::string name = step.op->getName().getStringRef().str();
  if (steps > options.maxSteps)
    return beyondLimit(locationOf(step.op), "the evaluation has done too many ops when it comes to '" + name + "'",
                       "max-steps", options.maxSteps);
  return beyondLimit(locationOf(step.op), "with '" + name + "' the evaluation would do too much work", "max-work",
                     options.maxWork);
}

Status Interpreter::reserve(Operation *op, int64_t bytes) const {
  if (bytes > options.maxMemoryBytes - getLiveBytes())
    return beyondLimit(locationOf(op),
                       "the evaluation would hold too many bytes after '" + op->getName().getStringRef().str() + "'",
                       "max-memory-bytes", options.maxMemoryBytes);
  return std::nullopt;
}

Status Interpreter::runOn(int64_t device, const Step &step) {
  Values operands = readOperands(device, step), results;
  RegionsOnDevice regions(*this, device);
  Call call{mode, operands, results, regions};
  if (Status error = step.function(step.op, call)) {
    if (error->location.file.empty())
      error->location = locationOf(step.op);
    return error;
  }
  assert(results.size() == step.results.size() && "an op's function must give all results");
  writeResults(device, step, std::move(results));
  return std::nullopt;
}

Status Interpreter::runStep(const Step &step, ActiveDevices active) {
  if (step.crossDeviceFunction) {
    if (Status error = spend(step, active.size()))
      return error;
    if (Status error = reserve(step.op, step.resultBytes))
      return error;
    return step.crossDeviceFunction(*this, step, active);
  }
  if (!step.function)
    return Error::unsupported(locationOf(step.op),
                              "the evaluator does not run '" + step.op->getName().getStringRef().str() + "'");
  for (int64_t device : active) {
    if (Status error = spend(step, 1))
      return error;
    if (Status error = reserve(step.op, step.resultBytes))
      return error;
    if (Status error = runOn(device, step))
      return error;
  }
  return std::nullopt;
}

Status Interpreter::run(Block &block, ActiveDevices active) {
  const BlockSchedule &plan = schedule.get(block);
  for (int64_t device : active)
    if (memory[device].size() < schedule.getNumSlots())
      memory[device].resize(schedule.getNumSlots());
  for (const Step &step : plan.steps) {
    if (Status error = runStep(step, active))
      return error;
    for (Slot slot : step.dead)
      for (int64_t device : active)
        memory[device][slot] = Tensor();
  }
  return std::nullopt;
}

} // namespace partita::evaluate
