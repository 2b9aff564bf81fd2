//===- Evaluator.h - runs programs on one or N virtual devices ------------===//
//
// The reference evaluator. It runs a program in normal form op by op, with one
// function per op (Ops/), on one device or on N in lock step. A collective runs
// when all devices of its group have reached it. If some cannot reach it, the
// error says which device waits for which. Limits on work, steps and memory end
// any program.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_EVALUATOR_H
#define PARTITA_EVALUATE_EVALUATOR_H

#include "partita/Evaluate/Rooms.h"
#include "partita/Evaluate/Tensor.h"
#include "partita/Support/OptionTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::evaluate {

class Observer;

/// More virtual devices are refused.
constexpr int64_t maxDevices = 4096;

struct EvaluatorOptions {
  int64_t devices = 1;
  bool exact = false;
  /// In units of Work.h: about half a minute.
  int64_t maxWork = 50'000'000'000;
  int64_t maxSteps = 1'000'000'000;
  int64_t maxMemoryBytes = int64_t(8) << 30;
  /// Receives every result, if not null.
  Observer *observer = nullptr;

  void visitOptions(OptionVisitor &visitor) {
    visitor.toggle({"exact", "", "Exact mode: floats are integers mod 2^64, so that results do not depend on order"},
                   exact);
    visitor.toggle({"ring", "", "The same as --exact"}, exact);
    visitor.integer({"max-steps", "ops", "Evaluations that execute more ops are stopped"}, maxSteps, 1, INT64_MAX);
    visitor.integer({"max-work", "units",
                     "Evaluations that do more are stopped: 1 for each product of a contraction, 8 for each other "
                     "element, 256 for each op"},
                    maxWork, 1, INT64_MAX);
    visitor.integer({"max-memory-bytes", "bytes", "Evaluations that hold more are stopped"}, maxMemoryBytes, 1,
                    INT64_MAX);
  }
};

/// The function that is run.
Result<mlir::func::FuncOp> findMain(mlir::ModuleOp module);

/// Values of one device: arguments or results in order.
using DeviceValues = std::vector<Tensor>;

/// Runs @main of a module in normal form; `arguments` has one entry per device, and so has the result.
Result<std::vector<DeviceValues>> evaluate(mlir::ModuleOp module, std::vector<DeviceValues> arguments,
                                           const EvaluatorOptions &options);

} // namespace partita::evaluate

#endif
