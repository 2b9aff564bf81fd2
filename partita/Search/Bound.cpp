//===- Bound.cpp - no plan is faster --------------------------------------===//

#include "partita/Search/Bound.h"

#include <algorithm>

namespace partita {

namespace {

class BoundComputation {
public:
  explicit BoundComputation(const CostModel &model)
      : model(model), graph(model.getGraph()), topology(model.getTopology()),
        assignment(model.getTopology(), model.getAxes()) {}

  int64_t run();

private:
  int64_t computeRow(OpId op) const;
  int64_t computeWritten(OpId op) const;
  int64_t computeRead(UseId use) const;
  /// The least of all rows that split the axes before `axis` as they are split now.
  int64_t findCheapest(OpId op, AxisId axis);

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  Assignment assignment;
};

} // namespace

int64_t BoundComputation::computeWritten(OpId op) const {
  const OpPricer &pricer = model.getOpPricer();
  uint32_t numUses = graph.ops[op].numUses;
  bool isUpdate = model.getFusion().getRole(op) == FusionRole::Update;
  int64_t timePs = 0;
  llvm::ArrayRef<CellId> results = graph.getResults(op);
  for (uint32_t i = 0; i < results.size(); ++i) {
    // Constants, moved ones too, are written nowhere.
    if (model.getFusion().isFused(results[i]) || model.getFusion().isConstant(results[i]))
      continue;
    int64_t bytes = pricer.computeLocalBytes(assignment, op, isUpdate ? 1 : numUses + i);
    timePs += std::max(i == 0 ? pricer.getLaunchPs() : 0, pricer.computeMemoryPs(bytes));
  }
  return timePs;
}

int64_t BoundComputation::computeRead(UseId use) const {
  uint32_t numReads = model.getFusion().getNumReads(use);
  if (numReads == 0 || model.getFusion().isFused(graph.uses[use]))
    return 0;
  const OpPricer &pricer = model.getOpPricer();
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  FusionRole role = model.getFusion().getRole(op);
  if (role == FusionRole::Update && operand == 0)
    return 0;
  int64_t bytes = pricer.computeLocalBytes(assignment, op, operand);
  if (role == FusionRole::Slice && operand == 0)
    bytes = std::min(bytes, pricer.computeLocalBytes(assignment, op, graph.ops[op].numUses));
  return pricer.computeMemoryPs(numReads * bytes);
}

int64_t BoundComputation::computeRow(OpId op) const {
  int64_t timePs = 0;
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

int64_t BoundComputation::findCheapest(OpId op, AxisId axis) {
  if (axis.get() == model.getAxes().size())
    return computeRow(op);
  AxisId next(axis.get() + 1);
  NodeId node = topology.getNode(op);
  int64_t cheapest = findCheapest(op, next);
  for (uint32_t factor = 0; factor < topology.getNumSlots(node); ++factor) {
    int64_t rest = assignment.getRest(topology.getSlot(node, static_cast<uint8_t>(factor)));
    if (rest <= 0 || rest % model.getAxes()[axis].size != 0)
      continue;
    size_t mark = assignment.mark();
    assignment.assign(node, axis, static_cast<uint8_t>(factor), 0);
    cheapest = std::min(cheapest, findCheapest(op, next));
    assignment.rollback(mark);
  }
  return cheapest;
}

int64_t BoundComputation::run() {
  int64_t boundPs = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    int64_t times = multiplySaturated(model.getTimes(graph.ops[op].region), model.getWeights().get(op));
    boundPs = std::min(maxTimePs, boundPs + multiplySaturated(findCheapest(op, AxisId(0)), times));
  }
  return boundPs;
}

int64_t computeLowerBoundPs(const CostModel &model) { return BoundComputation(model).run(); }

} // namespace partita
