//===- Interpreter.h - runs blocks on devices in lock step ----------------===//
//
// A set of active devices runs a block: all of them finish an op before the
// next one begins. Nothing runs in parallel, so a run can be repeated exactly.
// Each device has its own memory, with a tensor for each slot that Lockstep.h
// assigns.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_INTERPRETER_H
#define PARTITA_EVALUATE_INTERPRETER_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/Evaluate/Lockstep.h"
#include "partita/Evaluate/Rooms.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace partita::evaluate {

using Values = llvm::SmallVector<Tensor>;

class Interpreter {
public:
  Interpreter(mlir::ModuleOp module, const EvaluatorOptions &options);

  Mode getMode() const { return mode; }
  mlir::ModuleOp getModule() const { return module; }
  Observer *getObserver() const { return options.observer; }

  /// The current number of devices. A manual computation adds its own.
  int64_t getNumDevices() const { return memory.size(); }
  void setNumDevices(int64_t count);

  /// Reads an operand of a step. The last use removes it from memory.
  Tensor read(int64_t device, const Use &use);
  Values readOperands(int64_t device, const Step &step);
  /// Writes a result of a step.
  void write(int64_t device, const Step &step, unsigned result, Tensor value);
  void writeResults(int64_t device, const Step &step, Values values);

  /// Gives a block its arguments on one device.
  void enter(mlir::Block &block, int64_t device, llvm::ArrayRef<Tensor> arguments);
  /// Runs a block after `enter` on each active device.
  Status run(mlir::Block &block, ActiveDevices active);
  /// Removes and returns what the block returned on one device.
  Values leave(mlir::Block &block, int64_t device);

  /// Marks a function's block as running. False if it already is, since its slots are in use then.
  bool beginCall(mlir::Block *block) { return running.insert(block).second; }
  void endCall(mlir::Block *block) { running.erase(block); }

  /// Records why a device does not take part until `callBack`: "left the loop at f.mlir:3:5". Calls may nest.
  void sendAway(int64_t device, std::string reason) { awayReasons[device].push_back(std::move(reason)); }
  void callBack(int64_t device) { awayReasons[device].pop_back(); }
  /// Why a device does not take part.
  std::string getAwayReason(int64_t device) const;

  /// Counts the work of the step on `count` devices; an error beyond the limit.
  Status spend(const Step &step, int64_t count);
  /// An error if `bytes` more would exceed the memory limit.
  Status reserve(mlir::Operation *op, int64_t bytes) const;

  /// A constant's value, converted once.
  const Tensor &getConstant(mlir::Operation *op, mlir::ElementsAttr value);

private:
  Status runStep(const Step &step, ActiveDevices active);
  Status runOn(int64_t device, const Step &step);

  mlir::ModuleOp module;
  const EvaluatorOptions &options;
  Mode mode;
  Lockstep schedule;
  std::vector<std::vector<Tensor>> memory;
  llvm::DenseMap<int64_t, std::vector<std::string>> awayReasons;
  llvm::DenseMap<mlir::Operation *, Tensor> constants;
  llvm::SmallPtrSet<mlir::Block *, 4> running;
  int64_t steps = 0, work = 0, seenBytes = getTakenBytes();
};

/// Runs the small regions of an op on the device that runs the op.
class RegionsOnDevice final : public RegionRunner {
public:
  RegionsOnDevice(Interpreter &interpreter, int64_t device) : interpreter(interpreter), device(device) {}

  Result<Values> run(mlir::Region &region, llvm::ArrayRef<Tensor> arguments) override;

private:
  Interpreter &interpreter;
  int64_t device;
};

} // namespace partita::evaluate

#endif
