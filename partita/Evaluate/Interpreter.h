//===- Interpreter.h - runs blocks on devices in lock step ----------------===//
//
// A block is run by a set of active devices: every op is done by all of them
// before the next one begins. Nothing runs in parallel, so that a run can be
// repeated exactly. Each device has a memory of its own, a tensor for each slot
// of the schedule.
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

  /// How many devices there are now; a manual computation adds its own.
  int64_t getNumDevices() const { return memory.size(); }
  void setNumDevices(int64_t count);

  /// Reads an operand of a step. The last use takes it out of the memory.
  Tensor read(int64_t device, const Use &use);
  Values readOperands(int64_t device, const Step &step);
  /// Writes a result of a step.
  void write(int64_t device, const Step &step, unsigned result, Tensor value);
  void writeResults(int64_t device, const Step &step, Values values);

  /// Gives a block its arguments on one device.
  void enter(mlir::Block &block, int64_t device, llvm::ArrayRef<Tensor> arguments);
  /// Runs a block whose arguments are there.
  Status run(mlir::Block &block, ActiveDevices active);
  /// Takes what the block returned on one device.
  Values leave(mlir::Block &block, int64_t device);

  /// Notes that a function's block is being run; false if it is already, for its slots are in use then.
  bool beginCall(mlir::Block *block) { return running.insert(block).second; }
  void endCall(mlir::Block *block) { running.erase(block); }

  /// Notes why a device does not take part until `callBack`: "left the loop at f.mlir:3:5". Both may nest.
  void sendAway(int64_t device, std::string reason) { awayReasons[device].push_back(std::move(reason)); }
  void callBack(int64_t device) { awayReasons[device].pop_back(); }
  /// Where a device is that does not take part.
  std::string getAwayReason(int64_t device) const;

  /// An error if evaluation would do more than it may when `count` devices come to the step.
  Status spend(const Step &step, int64_t count);
  /// An error if evaluation would hold `bytes` more than it may.
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

/// Runs the small regions of an op, for the device that is doing the op.
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
