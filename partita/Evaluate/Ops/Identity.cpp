//===- Identity.cpp - ops whose results are their operands; tokens --------===//
//
// Shardings, barriers and tokens change no value.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Diagnostics.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Evaluate/OpTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace partita::evaluate {

template <typename OpT> static Status evaluateIdentity(OpT op, Call &call) {
  for (unsigned index = 0; index < op->getNumResults(); ++index)
    call.results.push_back(std::move(call.operands[index]));
  return std::nullopt;
}

/// Has no results: the op only annotates its operand.
template <typename OpT> static Status evaluateNothing(OpT, Call &) { return std::nullopt; }

template <typename OpT> static Status evaluateToken(OpT op, Call &call) {
  call.results.push_back(Tensor::makeToken(op->getResult(0).getType()));
  return std::nullopt;
}

/// Custom calls that annotate a value.
static bool isIdentityTarget(StringRef target) {
  static constexpr StringLiteral targets[] = {"annotate_device_placement",
                                              "Sharding",
                                              "SPMDFullToShardShape",
                                              "SPMDShardToFullShape",
                                              "MoveToHost",
                                              "MoveToDevice",
                                              "LayoutConstraint",
                                              "xla.sdy.FuncResultSharding",
                                              "xla.sdy.PropagationBarrier"};
  return llvm::is_contained(targets, target);
}

static Status evaluateCustomCall(stablehlo::CustomCallOp op, Call &call) {
  StringRef target = op.getCallTargetName();
  if (!isIdentityTarget(target) || op->getOperandTypes() != op->getResultTypes())
    return Error::unsupported(locationOf(op), "the evaluator does not run the custom call '" + target.str() + "'");
  return evaluateIdentity(op, call);
}

/// Their types are global ones: they change where the pieces of a value lie, not the value.
static void addSdyCollectives(OpTable &table) {
  table.add<sdy::AllGatherOp, evaluateIdentity<sdy::AllGatherOp>>();
  table.add<sdy::AllSliceOp, evaluateIdentity<sdy::AllSliceOp>>();
  table.add<sdy::AllToAllOp, evaluateIdentity<sdy::AllToAllOp>>();
  table.add<sdy::CollectivePermuteOp, evaluateIdentity<sdy::CollectivePermuteOp>>();
  table.add<sdy::AllReduceOp, evaluateIdentity<sdy::AllReduceOp>>();
  table.add<sdy::ReduceScatterOp, evaluateIdentity<sdy::ReduceScatterOp>>();
  table.add<sdy::ShardedToUnreducedOp, evaluateIdentity<sdy::ShardedToUnreducedOp>>();
  table.add<sdy::ReplicatedToUnreducedOp, evaluateIdentity<sdy::ReplicatedToUnreducedOp>>();
}

void registerIdentity(OpTable &table) {
  table.add<stablehlo::OptimizationBarrierOp, evaluateIdentity<stablehlo::OptimizationBarrierOp>>();
  table.add<stablehlo::AsyncDoneOp, evaluateIdentity<stablehlo::AsyncDoneOp>>();
  table.add<stablehlo::CustomCallOp, evaluateCustomCall>();
  table.add<stablehlo::CreateTokenOp, evaluateToken<stablehlo::CreateTokenOp>>();
  table.add<stablehlo::AfterAllOp, evaluateToken<stablehlo::AfterAllOp>>();
  table.add<sdy::ShardingConstraintOp, evaluateIdentity<sdy::ShardingConstraintOp>>();
  table.add<sdy::ReshardOp, evaluateIdentity<sdy::ReshardOp>>();
  table.add<sdy::ShardingGroupOp, evaluateNothing<sdy::ShardingGroupOp>>();
  table.add<sdy::PropagationBarrierOp, evaluateIdentity<sdy::PropagationBarrierOp>>();
  table.add<sdy::DataFlowEdgeOp, evaluateIdentity<sdy::DataFlowEdgeOp>>();
  addSdyCollectives(table);
  table.add<sdy::FuncDataFlowEdgeOp, evaluateIdentity<sdy::FuncDataFlowEdgeOp>>();
}

} // namespace partita::evaluate
