//===- PartialSumCarriers.cpp - which nodes can ever carry a partial sum --===//
//
// Starts with all linear ops and carried values as candidates. Removes, one
// after the other, those that are not consistent with the rest (PartialSums.h
// has the conditions). Each cell counts its uses that do not carry the sum, so
// the time is linear in the size of the program.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/PartialSumCarriers.h"

namespace partita::propagate {

bool isLinearIn(const Op &op, uint32_t operand) {
  switch (op.linearity) {
  case Linearity::None:
  case Linearity::Zero:
    return false;
  case Linearity::Sum:
    return true;
  case Linearity::First:
    return operand == 0;
  case Linearity::Second:
    return operand == 1;
  case Linearity::Update:
    return operand <= 1;
  case Linearity::Choice:
    return operand == 1 || operand == 2;
  }
  return false;
}

llvm::ArrayRef<CellId> getLinearOperands(const Graph &graph, OpId op) {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  switch (graph.ops[op].linearity) {
  case Linearity::None:
  case Linearity::Zero:
    return {};
  case Linearity::Sum:
    return operands;
  case Linearity::First:
    return operands.take_front(1);
  case Linearity::Second:
    return operands.slice(1, 1);
  case Linearity::Update:
    return operands.take_front(2);
  case Linearity::Choice:
    return operands.slice(1, 2);
  }
  return {};
}

/// Linear ops that may carry a partial sum. Results, constraints and branches need the value itself.
static bool isLinear(const Op &op) {
  bool isBound = op.role == IdentityRole::Result || op.role == IdentityRole::Constraint ||
                 op.role == IdentityRole::BranchYield || op.role == IdentityRole::Boundary;
  return !isBound && op.linearity != Linearity::None && op.linearity != Linearity::Zero;
}

namespace {

class CarrierSearch {
public:
  explicit CarrierSearch(const Topology &topology);

  IdVector<NodeId, uint8_t> run();

private:
  bool carries(UseId use) const;
  bool isPartial(CellId cell) const;
  bool allUsesCarry(CellId cell) const { return numNotCarrying[topology.getRepresentative(cell)] == 0; }
  bool isConsistent(OpId op) const;
  bool isConsistent(CellId carried) const;
  bool isConsistent(NodeId node) const {
    return topology.isOp(node) ? isConsistent(topology.getOp(node)) : isConsistent(topology.getBoundaryCell(node));
  }
  void enqueue(NodeId node);
  void enqueueAround(CellId cell);
  void remove(NodeId node);

  const Topology &topology;
  const Graph &graph;
  IdVector<NodeId, uint8_t> candidates, queued;
  /// 1 for nodes whose result is a partial sum if one of their own factors is split.
  IdVector<NodeId, uint8_t> reductions;
  /// For each representative, the number of uses of its cells that do not carry the sum.
  IdVector<CellId, uint32_t> numNotCarrying;
  std::vector<NodeId> worklist;
};

} // namespace

CarrierSearch::CarrierSearch(const Topology &topology)
    : topology(topology), graph(topology.getGraph()), candidates(topology.getNumNodes(), 0),
      queued(topology.getNumNodes(), 0), reductions(topology.getNumNodes(), 0), numNotCarrying(graph.cells.size(), 0) {
  for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
    candidates[node] = topology.isOp(node) ? isLinear(graph.ops[topology.getOp(node)])
                                           : graph.cells[topology.getBoundaryCell(node)].kind == CellKind::Carried;
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    if (topology.isAdded(opFactor) && topology.getSplitSize(opFactor) > 1)
      reductions[topology.getNode(opFactor)] = 1;
  for (UseId use : idRange<UseId>(graph.uses.size()))
    if (!carries(use))
      ++numNotCarrying[topology.getRepresentative(graph.uses[use])];
}

bool CarrierSearch::carries(UseId use) const {
  OpId op = topology.getUser(use);
  return candidates[topology.getNode(op)] && isLinearIn(graph.ops[op], use.get() - graph.ops[op].firstUse);
}

bool CarrierSearch::isPartial(CellId cell) const {
  NodeId source = topology.getSource(cell);
  return source.isValid() && (candidates[source] || reductions[source]);
}

bool CarrierSearch::isConsistent(OpId op) const {
  llvm::ArrayRef<CellId> operands = getLinearOperands(graph, op);
  if (!llvm::all_of(operands, [&](CellId cell) { return topology.isZero(cell) || isPartial(cell); }))
    return false;
  CellId result = graph.getResults(op).front();
  if (NodeId boundary = topology.getBoundaryNode(result); boundary.isValid())
    return candidates[boundary];
  if (!llvm::any_of(operands, [&](CellId cell) { return isPartial(cell) && allUsesCarry(cell); }))
    return false;
  return isAdd(graph.ops[op]) || allUsesCarry(result);
}

bool CarrierSearch::isConsistent(CellId carried) const {
  RegionId body = graph.cells[carried].region;
  if (!allUsesCarry(carried)) {
    if (topology.isStack(carried))
      return false;
    for (UseId use : topology.getUses(carried))
      if (!carries(use) && isOfLoop(graph, graph.ops[topology.getUser(use)].region, body))
        return false;
  }
  return llvm::all_of(topology.getDefinitions(carried),
                      [&](OpId definition) { return candidates[topology.getNode(definition)] != 0; });
}

void CarrierSearch::enqueue(NodeId node) {
  if (!node.isValid() || !candidates[node] || queued[node])
    return;
  queued[node] = 1;
  worklist.push_back(node);
}

void CarrierSearch::enqueueAround(CellId cell) {
  for (UseId use : topology.getUses(cell))
    enqueue(topology.getNode(topology.getUser(use)));
  enqueue(topology.getSource(cell));
}

void CarrierSearch::remove(NodeId node) {
  candidates[node] = 0;
  if (!topology.isOp(node)) {
    CellId cell = topology.getBoundaryCell(node);
    for (OpId definition : topology.getDefinitions(cell))
      enqueue(topology.getNode(definition));
    return enqueueAround(cell);
  }
  OpId op = topology.getOp(node);
  for (uint32_t operand = 0; operand < graph.ops[op].numUses; ++operand)
    if (isLinearIn(graph.ops[op], operand)) {
      CellId cell = topology.getRepresentative(graph.getOperands(op)[operand]);
      // For a carried value it matters which uses do not carry the sum; for other cells, only whether there is one.
      enqueue(topology.getBoundaryNode(cell));
      if (numNotCarrying[cell]++ == 0)
        enqueueAround(cell);
    }
  for (CellId cell : graph.getResults(op))
    enqueueAround(cell);
}

IdVector<NodeId, uint8_t> CarrierSearch::run() {
  for (NodeId node : idRange<NodeId>(candidates.size()))
    enqueue(node);
  while (!worklist.empty()) {
    NodeId node = worklist.back();
    worklist.pop_back();
    queued[node] = 0;
    if (!isConsistent(node))
      remove(node);
  }
  return std::move(candidates);
}

IdVector<NodeId, uint8_t> findPartialSumCarriers(const Topology &topology) { return CarrierSearch(topology).run(); }

} // namespace partita::propagate
