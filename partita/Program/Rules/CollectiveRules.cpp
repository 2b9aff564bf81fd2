//===- CollectiveRules.cpp - existing collectives, manual computations ----===//
//
// Collectives and manual computations of the program stay as they are over the
// axes they use.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleTable.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace partita::program::rules {

template <typename OpT> static OpRule ruleOfCollective(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: collectives of the program are kept as they are over the axes they use");
}

template <typename OpT> static OpRule ruleOfDeviceId(OpT op, RuleContext &) {
  return makeWholeRule(op, "everything: which device this is");
}

namespace {

/// The factors of a manual computation: one for each of its axes, which is the major part of every dim that the axis
/// splits. What is left of the dims stays whole.
class ManualRule {
public:
  ManualRule(sdy::ManualComputationOp op, sdy::MeshAttr mesh) : op(op), mesh(mesh), result(makeRule(op)) {}

  /// Adds the factors of one value; false if its sharding is of a form that is not known.
  bool add(sdy::TensorShardingAttr sharding, ArrayRef<int64_t> shape, ValueFactors &dims) {
    for (auto [dim, given] : llvm::enumerate(sharding.getDimShardings())) {
      int64_t rest = shape[dim];
      for (sdy::AxisRefAttr axis : given.getAxes()) {
        int64_t size = axis.getSize(mesh);
        if (axis.isSubAxis() || !op.isManual(axis.getName()) || rest % size != 0)
          return false;
        if (size > 1)
          dims[dim].push_back(findFactor(axis));
        rest /= size;
      }
      if (!dims[dim].empty() && rest > 1)
        dims[dim].push_back(result.rule.addFactor(FactorKind::Replicate, rest));
    }
    return true;
  }

  OpRule finish() {
    result.whole = "what a device holds of a manual computation's values: its body is written for it";
    keepRestWhole(op, result);
    return result;
  }

  Rule &getRule() { return result.rule; }

private:
  uint8_t findFactor(sdy::AxisRefAttr axis) {
    auto [it, isNew] = factors.try_emplace(axis.getName());
    if (isNew)
      it->second = result.rule.addFactor(FactorKind::Parallel, axis.getSize(mesh));
    return it->second;
  }

  sdy::ManualComputationOp op;
  sdy::MeshAttr mesh;
  OpRule result;
  llvm::StringMap<uint8_t> factors;
};

} // namespace

static OpRule ruleOfManualComputation(sdy::ManualComputationOp op, RuleContext &) {
  SmallVector<sdy::TensorShardingAttr> shardings(op.getInShardings().getShardings());
  llvm::append_range(shardings, op.getOutShardings().getShardings());
  sdy::MeshAttr mesh = shardings.empty() ? sdy::MeshAttr() : sdy::lookupCommonMesh(shardings, op);
  if (!mesh)
    return makeWholeRule(op, "everything: a manual computation without a mesh");
  ManualRule rule(op, mesh);
  bool isKnown = true;
  for (auto [index, sharding] : llvm::enumerate(op.getInShardings().getShardings()))
    isKnown = isKnown && rule.add(sharding, getShape(op->getOperand(index)), rule.getRule().operands[index]);
  for (auto [index, sharding] : llvm::enumerate(op.getOutShardings().getShardings()))
    isKnown = isKnown && rule.add(sharding, getShape(op->getResult(index)), rule.getRule().results[index]);
  return isKnown ? rule.finish() : makeWholeRule(op, "everything: a manual computation over parts of axes");
}

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

} // namespace partita::program::rules
