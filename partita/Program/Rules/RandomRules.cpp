//===- RandomRules.cpp - random numbers: never split ----------------------===//
//
// The bits of an element depend on the whole shape. A device that drew its
// piece alone would draw a different stream.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleTable.h"

using namespace mlir;

namespace partita::program::rules {

template <typename OpT> static OpRule ruleOfRandom(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: never a different stream per shard");
}

void registerRandomRules(RuleTable &table) {
  table.add<stablehlo::RngOp, ruleOfRandom<stablehlo::RngOp>>();
  table.add<stablehlo::RngBitGeneratorOp, ruleOfRandom<stablehlo::RngBitGeneratorOp>>();
}

} // namespace partita::program::rules
