//===- ControlFlow.cpp - loops, branches, called functions, constants -----===//
//
// Devices may diverge: each decides by its own predicate how often it runs a
// loop and which branch it takes. Those with the same decision continue in lock
// step. The others wait until the op is done.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Interpreter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::evaluate {

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

namespace {

/// A loop on several devices, each with its own carried values.
class Loop {
public:
  Loop(Interpreter &interpreter, const Step &step, ActiveDevices active)
      : interpreter(interpreter), step(step), op(cast<stablehlo::WhileOp>(step.op)), active(active) {}

  Status run();

private:
  /// Keeps the devices whose condition holds; the others leave the loop.
  Status decide();
  Status runBody();
  /// Runs the loop until all devices have left.
  Status iterate();

  Interpreter &interpreter;
  const Step &step;
  stablehlo::WhileOp op;
  ActiveDevices active;
  SmallVector<int64_t> inside;
  llvm::DenseMap<int64_t, Values> carried;
  int64_t iterations = 0;
};

} // namespace

Status Loop::decide() {
  Block &condition = op.getCond().front();
  for (int64_t device : inside)
    interpreter.enter(condition, device, carried[device]);
  if (Status error = interpreter.run(condition, inside))
    return error;
  SmallVector<int64_t> staying;
  for (int64_t device : inside) {
    if (interpreter.leave(condition, device).front().getInteger(0))
      staying.push_back(device);
    else
      interpreter.sendAway(device, "left the loop at " + locationOf(op).str() + " after " + std::to_string(iterations) +
                                       " iterations");
  }
  inside = std::move(staying);
  return std::nullopt;
}

Status Loop::runBody() {
  Block &body = op.getBody().front();
  for (int64_t device : inside) {
    Values values = std::exchange(carried[device], {});
    interpreter.enter(body, device, values);
  }
  if (Status error = interpreter.run(body, inside))
    return error;
  for (int64_t device : inside)
    carried[device] = interpreter.leave(body, device);
  ++iterations;
  return std::nullopt;
}

Status Loop::iterate() {
  while (true) {
    // A loop without ops counts too: it must not run forever.
    if (Status error = interpreter.spend(step, inside.size()))
      return error;
    if (Status error = decide())
      return error;
    if (inside.empty())
      return std::nullopt;
    if (Status error = runBody())
      return error;
  }
}

Status Loop::run() {
  inside.assign(active.begin(), active.end());
  for (int64_t device : active)
    carried[device] = interpreter.readOperands(device, step);
  if (Status error = iterate()) {
    // The op that reached the limit may be far from the endless loop, so the error names the loop too.
    if (error->code == ExitCode::Limit)
      error->reason += "; after " + std::to_string(iterations) + " iterations of the loop at " + locationOf(op).str();
    return error;
  }
  for (int64_t device : active) {
    interpreter.callBack(device);
    interpreter.writeResults(device, step, std::move(carried[device]));
  }
  return std::nullopt;
}

static Status evaluateWhile(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  return Loop(interpreter, step, active).run();
}

//===----------------------------------------------------------------------===//
// if, case
//===----------------------------------------------------------------------===//

static Status runBranch(Interpreter &interpreter, const Step &step, Region &branch, ActiveDevices takers) {
  Block &block = branch.front();
  for (int64_t device : takers)
    interpreter.enter(block, device, {});
  if (Status error = interpreter.run(block, takers))
    return error;
  for (int64_t device : takers)
    interpreter.writeResults(device, step, interpreter.leave(block, device));
  return std::nullopt;
}

/// Runs each branch on the devices that chose it; `choices` has one entry for each active device.
static Status runBranches(Interpreter &interpreter, const Step &step, ActiveDevices active,
                          ArrayRef<unsigned> choices) {
  for (auto [device, choice] : llvm::zip_equal(active, choices))
    interpreter.sendAway(device, "took branch " + std::to_string(choice) + " of '" +
                                     step.op->getName().getStringRef().str() + "' at " + locationOf(step.op).str());
  for (auto [index, branch] : llvm::enumerate(step.op->getRegions())) {
    SmallVector<int64_t> takers;
    for (auto [device, choice] : llvm::zip_equal(active, choices))
      if (choice == index)
        takers.push_back(device);
    if (takers.empty())
      continue;
    if (Status error = runBranch(interpreter, step, branch, takers))
      return error;
  }
  for (int64_t device : active)
    interpreter.callBack(device);
  return std::nullopt;
}

static Status evaluateIf(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  SmallVector<unsigned> choices;
  for (int64_t device : active)
    choices.push_back(interpreter.read(device, step.operands[0]).getInteger(0) ? 0 : 1);
  return runBranches(interpreter, step, active, choices);
}

/// An index that is out of range takes the last branch.
static Status evaluateCase(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  SmallVector<unsigned> choices;
  int64_t count = step.op->getNumRegions();
  for (int64_t device : active) {
    int64_t index = interpreter.read(device, step.operands[0]).getInteger(0);
    choices.push_back(index < 0 || index >= count ? count - 1 : index);
  }
  return runBranches(interpreter, step, active, choices);
}

//===----------------------------------------------------------------------===//
// Bodies that are run once
//===----------------------------------------------------------------------===//

static Status runOnce(Interpreter &interpreter, const Step &step, Block &block, ActiveDevices active) {
  for (int64_t device : active)
    interpreter.enter(block, device, interpreter.readOperands(device, step));
  if (Status error = interpreter.run(block, active))
    return error;
  for (int64_t device : active)
    interpreter.writeResults(device, step, interpreter.leave(block, device));
  return std::nullopt;
}

/// A kernel is what its decomposition computes.
static Status evaluateComposite(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  auto op = cast<stablehlo::CompositeOp>(step.op);
  auto function = interpreter.getModule().lookupSymbol<func::FuncOp>(op.getDecomposition());
  if (!function || !llvm::hasSingleElement(function.getBody()))
    return Error::unsupported(locationOf(op), "the decomposition @" + op.getDecomposition().str() + " has no body");
  Block &body = function.getBody().front();
  if (!interpreter.beginCall(&body))
    return Error::unsupported(locationOf(op), "@" + op.getDecomposition().str() + " calls itself");
  Status error = runOnce(interpreter, step, body, active);
  interpreter.endCall(&body);
  return error;
}

/// Runs the body at once: the future is the value itself.
static Status evaluateAsyncStart(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  return runOnce(interpreter, step, step.op->getRegion(0).front(), active);
}

template <typename OpT>
static Status evaluateConstant(Interpreter &interpreter, const Step &step, ActiveDevices active) {
  const Tensor &value = interpreter.getConstant(step.op, cast<OpT>(step.op).getValue());
  for (int64_t device : active)
    interpreter.write(device, step, 0, value);
  return std::nullopt;
}

void registerControlFlow(CrossDeviceOps &table) {
  table.add<stablehlo::WhileOp>(evaluateWhile);
  table.add<stablehlo::IfOp>(evaluateIf);
  table.add<stablehlo::CaseOp>(evaluateCase);
  table.add<stablehlo::CompositeOp>(evaluateComposite);
  table.add<stablehlo::AsyncStartOp>(evaluateAsyncStart);
  table.add<stablehlo::ConstantOp>(evaluateConstant<stablehlo::ConstantOp>);
  table.add<sdy::ConstantOp>(evaluateConstant<sdy::ConstantOp>);
  table.add<chlo::ConstantOp>(evaluateConstant<chlo::ConstantOp>);
}

} // namespace partita::evaluate
