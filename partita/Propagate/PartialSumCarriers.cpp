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
  bool mayTake(UseId use) const;
  bool mayBePartial(CellId cell) const;
  bool isTakenByAllUses(CellId cell) const { return refusals[topology.getRepresentative(cell)] == 0; }
  bool agrees(OpId op) const;
  bool agrees(CellId carried) const;
  bool agrees(NodeId node) const {
    return topology.isOp(node) ? agrees(topology.getOp(node)) : agrees(topology.getBoundaryCell(node));
  }
  void enqueue(NodeId node);
  void enqueueAround(CellId cell);
  void takeOut(NodeId node);

  const Topology &topology;
  const Graph &graph;
  IdVector<NodeId, uint8_t> passing, queued;
  /// 1 for nodes whose result is a partial sum if one of their own factors is split.
  IdVector<NodeId, uint8_t> adding;
  /// For each representative, the number of uses of its cells that do not carry the sum.
  IdVector<CellId, uint32_t> refusals;
  std::vector<NodeId> queue;
};

} // namespace

CarrierSearch::CarrierSearch(const Topology &topology)
    : topology(topology), graph(topology.getGraph()), passing(topology.getNumNodes(), 0),
      queued(topology.getNumNodes(), 0), adding(topology.getNumNodes(), 0), refusals(graph.cells.size(), 0) {
  for (NodeId node : idRange<NodeId>(topology.getNumNodes()))
    passing[node] = topology.isOp(node) ? isLinear(graph.ops[topology.getOp(node)])
                                        : graph.cells[topology.getBoundaryCell(node)].kind == CellKind::Carried;
  for (OpFactorId opFactor : idRange<OpFactorId>(topology.getNumOpFactors()))
    if (topology.isAdded(opFactor) && topology.getSplitSize(opFactor) > 1)
      adding[topology.getNode(opFactor)] = 1;
  for (UseId use : idRange<UseId>(graph.uses.size()))
    if (!mayTake(use))
      ++refusals[topology.getRepresentative(graph.uses[use])];
}

bool CarrierSearch::mayTake(UseId use) const {
  OpId op = topology.getUser(use);
  return passing[topology.getNode(op)] && isLinearIn(graph.ops[op], use.get() - graph.ops[op].firstUse);
}

bool CarrierSearch::mayBePartial(CellId cell) const {
  NodeId source = topology.getSource(cell);
  return source.isValid() && (passing[source] || adding[source]);
}

bool CarrierSearch::agrees(OpId op) const {
  llvm::ArrayRef<CellId> operands = getLinearOperands(graph, op);
  if (!llvm::all_of(operands, [&](CellId cell) { return topology.isZero(cell) || mayBePartial(cell); }))
    return false;
  CellId result = graph.getResults(op).front();
  if (NodeId place = topology.getBoundaryNode(result); place.isValid())
    return passing[place];
  if (!llvm::any_of(operands, [&](CellId cell) { return mayBePartial(cell) && isTakenByAllUses(cell); }))
    return false;
  return isAdd(graph.ops[op]) || isTakenByAllUses(result);
}

bool CarrierSearch::agrees(CellId carried) const {
  RegionId body = graph.cells[carried].region;
  if (!isTakenByAllUses(carried)) {
    if (topology.isStack(carried))
      return false;
    for (UseId use : topology.getUses(carried))
      if (!mayTake(use) && isOfLoop(graph, graph.ops[topology.getUser(use)].region, body))
        return false;
  }
  return llvm::all_of(topology.getDefinitions(carried),
                      [&](OpId definition) { return passing[topology.getNode(definition)] != 0; });
}

void CarrierSearch::enqueue(NodeId node) {
  if (!node.isValid() || !passing[node] || queued[node])
    return;
  queued[node] = 1;
  queue.push_back(node);
}

void CarrierSearch::enqueueAround(CellId cell) {
  for (UseId use : topology.getUses(cell))
    enqueue(topology.getNode(topology.getUser(use)));
  enqueue(topology.getSource(cell));
}

void CarrierSearch::takeOut(NodeId node) {
  passing[node] = 0;
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
      if (refusals[cell]++ == 0)
        enqueueAround(cell);
    }
  for (CellId cell : graph.getResults(op))
    enqueueAround(cell);
}

IdVector<NodeId, uint8_t> CarrierSearch::run() {
  for (NodeId node : idRange<NodeId>(passing.size()))
    enqueue(node);
  while (!queue.empty()) {
    NodeId node = queue.back();
    queue.pop_back();
    queued[node] = 0;
    if (!agrees(node))
      takeOut(node);
  }
  return std::move(passing);
}

IdVector<NodeId, uint8_t> findPartialSumCarriers(const Topology &topology) { return CarrierSearch(topology).run(); }

} // namespace partita::propagate
