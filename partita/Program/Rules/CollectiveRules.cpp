//===- CollectiveRules.cpp - collectives that the program brings along ----===//
//
// What the program already says about devices stays as it is over the axes it
// uses.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleTable.h"

using namespace mlir;

namespace partita::rules {

template <typename OpT> static OpRule ruleOfCollective(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: collectives of the program are kept as they are over the axes they use");
}

template <typename OpT> static OpRule ruleOfDeviceId(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: which device this is");
}

/// Its region is taken apart where the program is made flat.
static OpRule ruleOfManualComputation(sdy::ManualComputationOp op, RuleContext &) { return makeRule(op); }

template <typename... Ops> static void addCollectives(RuleTable &table) {
  (table.add<Ops, ruleOfCollective<Ops>>(), ...);
}

void registerCollectiveRules(RuleTable &table) {
  addCollectives<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp, stablehlo::AsyncDoneOp,
                 stablehlo::AsyncStartOp, stablehlo::CollectiveBroadcastOp, stablehlo::CollectivePermuteOp,
                 stablehlo::CrossReplicaSumOp, stablehlo::ReduceScatterOp>(table);
  addCollectives<sdy::AllGatherOp, sdy::AllReduceOp, sdy::AllSliceOp, sdy::AllToAllOp, sdy::CollectivePermuteOp,
                 sdy::ReduceScatterOp, sdy::ReplicatedToUnreducedOp, sdy::ShardedToUnreducedOp>(table);
  table.add<stablehlo::PartitionIdOp, ruleOfDeviceId<stablehlo::PartitionIdOp>>();
  table.add<stablehlo::ReplicaIdOp, ruleOfDeviceId<stablehlo::ReplicaIdOp>>();
  table.add<sdy::ManualComputationOp, ruleOfManualComputation>();
}

} // namespace partita::rules
