//===- Evaluator.cpp - runs programs, whole and on N virtual devices ------===//

#include "partita/Evaluate/Evaluator.h"

using namespace mlir;

namespace partita::evaluate {

Result<std::vector<DeviceValues>> evaluate(ModuleOp, std::vector<DeviceValues>, const EvaluatorOptions &) {
  return Error::internal("the evaluator is not built yet");
}

} // namespace partita::evaluate
