//===- OpInstance.h - one op taken out of its program ---------------------===//
//
// The validator looks at ops one by one. An instance is an op in a program of
// its own: operands that do not depend on arguments (constants and what is
// computed from them) come with it, for a rule may look at them; all other
// operands are arguments.
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

/// The ops of `root` whose rule can be checked one by one, each of a form that no other has: control flow, calls and
/// terminators are left out, their bodies are looked at.
std::vector<mlir::Operation *> collectOps(mlir::Operation *root);

/// What becomes of an operand that does not depend on arguments.
enum class ArgumentFree {
  /// It is computed in the instance, as it was in the program.
  Kept,
  /// It is an argument too, and has any value.
  Opened,
};

/// Takes a copy of `op` out of its program; an error if it uses values from outside inside its regions.
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
