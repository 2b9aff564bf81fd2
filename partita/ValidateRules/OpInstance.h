//===- OpInstance.h - one op in a program of its own ----------------------===//
//
// The validator checks ops one by one. An instance is one op in a program of
// its own. Operands that do not depend on arguments (constants and what is
// computed from them) come with it, since a rule may read them. All other
// operands become arguments.
//
//   func.func public @main(%arg0: tensor<8x4xf32>) -> (operands..., results...) {
//     %init = stablehlo.constant dense<0.0> : tensor<f32>
//     %r = stablehlo.reduce(%arg0 init: %init) ...
//     return %arg0, %init, %r
//   }
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_OPINSTANCE_H
#define PARTITA_VALIDATERULES_OPINSTANCE_H

#include "partita/Evaluate/Evaluator.h"
#include "partita/ValidateRules/Rooms.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::validate {

struct OpInstance {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// The op inside `module`.
  mlir::Operation *op = nullptr;
};

/// The ops of `root` whose rule can be checked, one of each kind. Control flow, calls and terminators are left out, but
/// their bodies are included.
std::vector<mlir::Operation *> collectOps(mlir::Operation *root);

/// How an instance treats an operand that does not depend on arguments.
enum class ArgumentFree {
  /// The instance computes it, as the program did.
  Kept,
  /// It becomes an argument, so that it can have any value.
  Opened,
};

/// Copies `op` into an instance. An error if its regions use values from outside.
Result<OpInstance> isolateOp(mlir::Operation *op, ArgumentFree argumentFree = ArgumentFree::Kept);

/// Values of one evaluation of an instance.
struct WholeRun {
  Mode mode = Mode::Float;
  std::vector<Tensor> operands;
  std::vector<Tensor> results;
};

/// Evaluates the instance as it is.
Result<WholeRun> runWhole(const OpInstance &instance, std::vector<Tensor> arguments, Mode mode);

} // namespace partita::validate

#endif
