//===- InputRuns.cpp - runs of an instance on each kind of inputs ---------===//

#include "partita/ValidateRules/InputRuns.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Number.h"

using namespace mlir;

namespace partita::validate {

/// An error if no inputs can be made for the op: a value of unknown size, quantized elements, tuples.
static Status checkInputs(Operation *op) {
  auto isHeld = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.hasStaticShape() && isEvaluable(tensor.getElementType()) : isa<stablehlo::TokenType>(type);
  };
  for (Type type : op->getOperandTypes())
    if (!isHeld(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << "the evaluator holds no value of type " << type;
      return Error::unsupported(locationOf(op), text);
    }
  return std::nullopt;
}

Result<WholeRun> runOn(const OpInstance &instance, InputKind kind, uint64_t seed) {
  if (Status error = checkInputs(instance.op))
    return std::move(*error);
  return runWhole(instance, makeAdversarialInputs(instance, kind, seed),
                  kind == InputKind::Ring ? Mode::Exact : Mode::Float);
}

Result<std::vector<NamedRun>> runAllKinds(const OpInstance &instance, uint64_t seed) {
  std::vector<NamedRun> runs;
  for (InputKind kind : {InputKind::Exact, InputKind::Special, InputKind::Ring}) {
    Result<WholeRun> run = runOn(instance, kind, seed);
    if (run)
      runs.push_back({kind, std::move(*run)});
    else if (kind != InputKind::Ring)
      return run.error();
  }
  return runs;
}

} // namespace partita::validate
