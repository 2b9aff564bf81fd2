//===- BoundStates.cpp - the node states of an op and their costs ---------===//

#include "partita/Search/Bound/BoundStates.h"

#include "partita/Propagate/PartialSumCarriers.h"

#include <algorithm>

namespace partita::search {

StateEnumeration::StateEnumeration(const CostModel &model)
    : model(model), graph(model.getGraph()), topology(model.getTopology()),
      assignment(model.getTopology(), model.getAxes()), sumCarriers(findPartialSumCarriers(topology)) {}

int64_t StateEnumeration::computeWritten(OpId op) const {
  const OpPricer &pricer = model.getOpPricer();
  uint32_t numUses = graph.ops[op].numUses;
  bool isUpdate = model.getFusion().getRole(op) == FusionRole::Update;
  int64_t timePs = 0;
  llvm::ArrayRef<CellId> results = graph.getResults(op);
  for (uint32_t i = 0; i < results.size(); ++i) {
    // Constants, also moved ones, are not written.
    if (model.getFusion().isFused(results[i]) || model.getFusion().isConstant(results[i]))
      continue;
    int64_t bytes = pricer.computeLocalBytes(assignment, op, isUpdate ? 1 : numUses + i);
    timePs += (i == 0 && !model.getFusion().isJoined(op) ? pricer.getLaunchPs() : 0) + pricer.computeMemoryPs(bytes);
  }
  return timePs;
}

int64_t StateEnumeration::computeRead(UseId use) const {
  const FusionPlan &fusion = model.getFusion();
  if (fusion.isFused(graph.uses[use]) || fusion.isConstant(graph.uses[use]))
    return 0;
  return model.getOpPricer().computeReadsPs(assignment, fusion, use);
}

/// The bytes of operands that are copied to another order of dims, and of the buffer it works in.
int64_t StateEnumeration::computeCopied(OpId op) const {
  llvm::ArrayRef<CellId> results = graph.getResults(op);
  const FusionPlan &fusion = model.getFusion();
  if (results.empty() || graph.cells[results[0]].kind != CellKind::OpResult || fusion.isFused(results[0]) ||
      fusion.isConstant(results[0]))
    return 0;
  const OpPricer &pricer = model.getOpPricer();
  int64_t timePs = 0;
  for (uint32_t i = 0; i < graph.ops[op].numUses; ++i)
    if (fusion.getOrders().isCopied(UseId(graph.ops[op].firstUse + i)))
      timePs += pricer.computeKernelPs(2 * pricer.computeLocalBytes(assignment, op, i));
  int64_t bytes = pricer.computeLocalBytes(assignment, op, graph.ops[op].numUses);
  return timePs + pricer.computeBufferPs(fusion, op, bytes);
}

int64_t StateEnumeration::computeStateCost(OpId op) const {
  int64_t timePs = computeCopied(op);
  for (uint32_t i = 0; i < graph.ops[op].numUses; ++i)
    timePs += computeRead(UseId(graph.ops[op].firstUse + i));
  switch (model.getFusion().getRole(op)) {
  case FusionRole::Alone:
    return timePs + model.getOpPricer().computeTimePs(assignment, op);
  case FusionRole::Elementwise:
  case FusionRole::Movement:
  case FusionRole::Slice:
  case FusionRole::Reduction:
  case FusionRole::Update:
    return timePs + computeWritten(op);
  case FusionRole::Constant:
  case FusionRole::Identity:
    break;
  }
  return timePs;
}

/// Major factors are checked when all axes are placed: the order of steps is free.
bool StateEnumeration::isOpen(OpFactorId opFactor, AxisId axis) const {
  int64_t rest = assignment.getPartSize(opFactor);
  return rest >= 0 && rest % model.getAxes()[axis].size == 0;
}

void StateEnumeration::visit(OpId op, AxisId axis, BoundStates &found) {
  if (found.states.size() > maxStates)
    return;
  NodeId node = topology.getNode(op);
  if (axis.get() == model.getAxes().size()) {
    BoundState row;
    for (AxisId each : idRange<AxisId>(model.getAxes().size())) {
      uint8_t factor = assignment.getFactor(node, each);
      row.push_back(factor);
      if (factor < sumFactor && topology.isMinor(topology.getOpFactor(node, factor)))
        for (uint8_t major : topology.getMajors(topology.getOpFactor(node, factor)))
          if (assignment.getPartSize(topology.getOpFactor(node, major)) != 1)
            return;
    }
    int64_t times = multiplySaturated(model.getTimes(graph.ops[op].region), model.getMultiplicity().get(op));
    found.states.push_back(std::move(row));
    found.costs.push_back(multiplySaturated(computeStateCost(op), times));
    return;
  }
  AxisId next(axis.get() + 1);
  visit(op, next, found);
  auto visitWith = [&](uint8_t factor) {
    size_t mark = assignment.mark();
    assignment.assign(node, axis, factor, 0);
    visit(op, next, found);
    assignment.rollback(mark);
  };
  for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor)
    if (isOpen(topology.getOpFactor(node, static_cast<uint8_t>(factor)), axis))
      visitWith(static_cast<uint8_t>(factor));
  if (mayTakeSum(node))
    visitWith(sumFactor);
}

BoundStates StateEnumeration::list(OpId op) {
  BoundStates found;
  visit(op, AxisId(0), found);
  if (found.states.size() > maxStates)
    return {{BoundState(model.getAxes().size(), noFactor)}, {0}, true};
  return found;
}

} // namespace partita::search
