//===- Map.cpp - a function applied to each element -----------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Scalars.h"

using namespace mlir;

namespace partita::evaluate {

/// result[i] = computation(inputs...[i])
static Status evaluateMap(stablehlo::MapOp op, Call &call) {
  Tensor result(resultType(op), call.mode);
  for (int64_t index = 0; index < result.size(); ++index) {
    SmallVector<Tensor> arguments;
    for (const Tensor &input : call.operands)
      arguments.push_back(getScalar(input, index));
    Result<SmallVector<Tensor>> returned = call.regions.run(op.getComputation(), arguments);
    if (!returned)
      return returned.error();
    setScalar(result, index, returned->front());
  }
  call.results.push_back(std::move(result));
  return std::nullopt;
}

void registerMap(OpTable &table) { table.add<stablehlo::MapOp, evaluateMap>(); }

} // namespace partita::evaluate
