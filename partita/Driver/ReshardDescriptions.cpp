//===- ReshardDescriptions.cpp - what a transfer is and why it is there ---===//

#include "partita/Driver/ReshardDescriptions.h"

namespace partita {

static std::string getCause(const Graph &graph, const Transfer &transfer, const ReshardPlan &plan) {
  if (plan.from.partial != plan.to.partial)
    return "partial results are combined";
  if (!transfer.op.isValid())
    return "uses need another sharding than the value has";
  const Op &op = graph.ops[transfer.op];
  std::string name = graph.getName(op.opName).str() + " " + graph.getFullName(op.name, op.occurrence);
  return (transfer.position == TransferPosition::BeforeUse ? "needed by " : "given by ") + name;
}

/// The tactic behind it: of the op that it stands at, on an axis that it moves.
static std::string getTactic(const Planning &planning, const Transfer &transfer, const ReshardPlan &plan) {
  const Assignment &assignment = *planning.assignment;
  uint32_t step = UINT32_MAX;
  for (AxisId axis : plan.steps.empty() ? llvm::SmallVector<AxisId, 2>() : plan.steps.front().axes) {
    NodeId node = transfer.op.isValid() ? NodeId(transfer.op.get()) : assignment.getTopology().getPlace(transfer.cell);
    if (node.isValid() && assignment.getFactor(node, axis) != noFactor)
      step = assignment.getStep(node, axis);
    OpId definition = assignment.getTopology().getDefinition(transfer.cell);
    if (step == UINT32_MAX && definition.isValid() && assignment.getFactor(NodeId(definition.get()), axis) != noFactor)
      step = assignment.getStep(NodeId(definition.get()), axis);
  }
  if (step >= planning.outcome.stepTactics.size())
    return "";
  return planning.outcome.reports[planning.outcome.stepTactics[step]].name;
}

static ScoreReshard describe(const Planning &planning, const Transfer &transfer, const ReshardPlan &plan) {
  const Graph &graph = planning.getGraph();
  const Cell &cell = graph.cells[transfer.cell];
  int64_t bytes = 0;
  for (const ReshardStep &step : plan.steps)
    bytes += step.payloadBytes;
  ScoreReshard reshard;
  reshard.value = graph.getFullName(cell.name, cell.occurrence);
  reshard.loc = graph.getName(transfer.op.isValid() ? graph.ops[transfer.op].place : cell.place).str();
  reshard.from = printForm(planning.axes, plan.from);
  reshard.to = printForm(planning.axes, plan.to);
  reshard.steps = printSteps(planning.axes, plan);
  reshard.count = std::max<int64_t>(1, graph.getMultiplicity(transfer.region));
  reshard.bytes = bytes * reshard.count;
  reshard.cause = getCause(graph, transfer, plan);
  reshard.tactic = getTactic(planning, transfer, plan);
  return reshard;
}

std::vector<ScoreReshard> describeReshards(const Planning &planning, const Transfers &transfers,
                                           const ReshardPlanner &planner) {
  std::vector<ScoreReshard> reshards;
  for (const Transfer &transfer : transfers.list.raw())
    reshards.push_back(describe(planning, transfer, planner[transfer.plan]));
  return reshards;
}

} // namespace partita
