//===- PartialSums.cpp - who takes partial sums on ------------------------===//
//
// Two passes over the linear ops behind the new partial sums: forward, what might
// take the sum if everything behind it does; then what rests on something that
// does not is taken out, until all agree.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/PartialSums.h"

#include "llvm/ADT/DenseMap.h"

#include <set>

namespace partita {

namespace {

class SumTaking {
public:
  SumTaking(Assignment &assignment, AxisId axis)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()), axis(axis) {}

  void run(llvm::ArrayRef<NodeId> assigned, uint32_t step);

private:
  // What might take the sum.
  bool mayTake(NodeId node) const;
  bool isUnary(OpId op) const { return getLinearOperands(op).size() == 1; }
  /// The operands in which an op is linear, all together.
  llvm::ArrayRef<CellId> getLinearOperands(OpId op) const;
  /// Adds what might bring a partial sum to `cell`; whether there is anything.
  bool supposePartial(CellId cell);
  bool supposeCarried(CellId cell);
  void suppose(NodeId node);
  void supposeUses(CellId cell);

  // What agrees.
  bool isTaken(OpId op) const {
    return supposed.count(topology.getNode(op)) != 0 || assignment.getFactor(topology.getNode(op), axis) == sumFactor;
  }
  bool isPartial(CellId cell) const;
  bool isPartialOrZero(CellId cell) const { return topology.isZero(cell) || isPartial(cell); }
  bool isTakenByAllUses(CellId cell) const;
  bool agrees(OpId op) const;
  bool agrees(CellId carried) const;
  bool agrees(NodeId node) const {
    return topology.isOp(node) ? agrees(topology.getOp(node)) : agrees(topology.getPlaceCell(node));
  }
  void settle();
  void dropUnfed();
  std::vector<NodeId> getNeighbours(NodeId node) const;

  Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  AxisId axis;
  /// Ordered, so that definitions come before what uses them.
  std::set<NodeId> supposed;
  std::set<OpId> pending;
};

} // namespace

//===----------------------------------------------------------------------===//
// What might take the sum
//===----------------------------------------------------------------------===//

/// Linear ops that may pass a partial sum on; results, constraints and branches want the value itself.
static bool isLinear(const Op &op) {
  bool isBound = op.role == IdentityRole::Result || op.role == IdentityRole::Constraint ||
                 op.role == IdentityRole::BranchYield || op.role == IdentityRole::Boundary;
  return !isBound && op.linearity != Linearity::None && op.linearity != Linearity::Zero;
}

static bool isPinned(const Assignment &assignment, CellId cell, AxisId axis) {
  return assignment.getPin(assignment.getTopology().getRepresentative(cell), axis).kind != PinKind::None;
}

bool SumTaking::mayTake(NodeId node) const {
  if (assignment.getFactor(node, axis) != noFactor)
    return false;
  if (!topology.isOp(node)) {
    CellId cell = topology.getPlaceCell(node);
    return graph.cells[cell].kind == CellKind::Carried && !isPinned(assignment, cell, axis);
  }
  const Op &op = graph.ops[topology.getOp(node)];
  return isLinear(op) && op.numDefinitions == 1;
}

llvm::ArrayRef<CellId> SumTaking::getLinearOperands(OpId op) const {
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

void SumTaking::suppose(NodeId node) {
  if (!supposed.insert(node).second)
    return;
  if (topology.isOp(node))
    supposeUses(graph.getResults(topology.getOp(node)).front());
  else
    supposeUses(topology.getPlaceCell(node));
}

void SumTaking::supposeUses(CellId cell) {
  for (UseId use : topology.getUses(cell))
    if (OpId user = topology.getUser(use); mayTake(topology.getNode(user)))
      pending.insert(user);
}

/// A carried value that starts at zero; its entry and its yield take the sum with it.
bool SumTaking::supposeCarried(CellId cell) {
  NodeId place = topology.getPlace(cell);
  if (supposed.count(place))
    return true;
  if (!mayTake(place))
    return false;
  for (OpId definition : topology.getDefinitions(cell)) {
    bool isEntry = graph.ops[definition].role == IdentityRole::Entry;
    if (!mayTake(topology.getNode(definition)) || (isEntry && !isPartialOrZero(graph.getOperands(definition).front())))
      return false;
  }
  for (OpId definition : topology.getDefinitions(cell))
    supposed.insert(topology.getNode(definition));
  suppose(place);
  return true;
}

bool SumTaking::supposePartial(CellId cell) {
  if (isPartialOrZero(cell))
    return true;
  if (graph.cells[cell].kind == CellKind::Carried)
    return supposeCarried(cell);
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid() || !mayTake(topology.getNode(definition)) || !isUnary(definition))
    return false;
  if (!supposePartial(getLinearOperands(definition).front()))
    return false;
  suppose(topology.getNode(definition));
  return true;
}

//===----------------------------------------------------------------------===//
// What agrees
//===----------------------------------------------------------------------===//

bool SumTaking::isPartial(CellId cell) const {
  if (assignment.isPartialSum(cell, axis))
    return true;
  if (NodeId place = topology.getPlace(cell); place.isValid())
    return supposed.count(place) != 0;
  OpId definition = topology.getDefinition(cell);
  return definition.isValid() && supposed.count(topology.getNode(definition)) != 0 && !isPinned(assignment, cell, axis);
}

bool SumTaking::isTakenByAllUses(CellId cell) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) { return isTaken(topology.getUser(use)); });
}

bool SumTaking::agrees(OpId op) const {
  CellId result = graph.getResults(op).front();
  llvm::ArrayRef<CellId> operands = getLinearOperands(op);
  if (!llvm::all_of(operands, [&](CellId cell) { return isPartialOrZero(cell); }))
    return false;
  if (graph.cells[result].kind == CellKind::Carried)
    return supposed.count(topology.getPlace(result)) != 0;
  if (graph.ops[op].linearity == Linearity::Sum && operands.size() > 1)
    return llvm::any_of(operands, [&](CellId cell) { return isPartial(cell) && isTakenByAllUses(cell); });
  return !isPinned(assignment, result, axis) && isTakenByAllUses(result);
}

static bool isInside(const Graph &graph, RegionId region, RegionId outer) {
  while (region.isValid() && region != outer)
    region = graph.regions[region].parent;
  return region.isValid();
}

/// Entry, yield and all uses in the body take the sum; a condition wants the value itself.
bool SumTaking::agrees(CellId carried) const {
  RegionId body = graph.cells[carried].region;
  for (UseId use : topology.getUses(carried)) {
    OpId user = topology.getUser(use);
    RegionId region = graph.ops[user].region;
    bool isOfLoop = isInside(graph, region, body) || graph.regions[region].kind == RegionKind::LoopCondition;
    if (isOfLoop && !isTaken(user))
      return false;
  }
  return llvm::all_of(topology.getDefinitions(carried), [&](OpId definition) { return isTaken(definition); });
}

/// Nodes whose agreement may rest on `node`.
std::vector<NodeId> SumTaking::getNeighbours(NodeId node) const {
  std::vector<NodeId> found;
  auto addAround = [&](CellId cell) {
    for (UseId use : topology.getUses(cell))
      found.push_back(topology.getNode(topology.getUser(use)));
    if (OpId definition = topology.getDefinition(cell); definition.isValid())
      found.push_back(topology.getNode(definition));
    for (OpId definition : topology.getDefinitions(cell))
      found.push_back(topology.getNode(definition));
    if (NodeId place = topology.getPlace(cell); place.isValid())
      found.push_back(place);
  };
  if (!topology.isOp(node)) {
    addAround(topology.getPlaceCell(node));
    return found;
  }
  for (CellId cell : graph.getOperands(topology.getOp(node)))
    addAround(cell);
  for (CellId cell : graph.getResults(topology.getOp(node)))
    addAround(cell);
  return found;
}

void SumTaking::settle() {
  std::vector<NodeId> queue(supposed.begin(), supposed.end());
  while (!queue.empty()) {
    NodeId node = queue.back();
    queue.pop_back();
    if (!supposed.count(node) || agrees(node))
      continue;
    supposed.erase(node);
    for (NodeId neighbour : getNeighbours(node))
      if (supposed.count(neighbour))
        queue.push_back(neighbour);
  }
}

/// Takes out what only zeros reach.
void SumTaking::dropUnfed() {
  std::set<NodeId> fed;
  std::vector<NodeId> stack;
  auto feed = [&](NodeId node) {
    if (supposed.count(node) && fed.insert(node).second)
      stack.push_back(node);
  };
  auto feedUses = [&](CellId cell) {
    for (UseId use : topology.getUses(cell))
      feed(topology.getNode(topology.getUser(use)));
  };
  for (NodeId node : supposed)
    if (topology.isOp(node))
      for (CellId cell : getLinearOperands(topology.getOp(node)))
        if (assignment.isPartialSum(cell, axis))
          feed(node);
  while (!stack.empty()) {
    NodeId node = stack.back();
    stack.pop_back();
    CellId cell = topology.isOp(node) ? graph.getResults(topology.getOp(node)).front() : topology.getPlaceCell(node);
    feedUses(cell);
    if (NodeId place = topology.getPlace(cell); place.isValid()) {
      feed(place);
      for (OpId definition : topology.getDefinitions(cell))
        feed(topology.getNode(definition));
    }
  }
  supposed = std::move(fed);
}

void SumTaking::run(llvm::ArrayRef<NodeId> assigned, uint32_t step) {
  for (NodeId node : assigned)
    if (topology.isOp(node))
      for (CellId cell : graph.getResults(topology.getOp(node)))
        if (assignment.isPartialSum(cell, axis))
          supposeUses(cell);
  while (!pending.empty()) {
    OpId op = *pending.begin();
    pending.erase(pending.begin());
    if (llvm::all_of(getLinearOperands(op), [&](CellId cell) { return supposePartial(cell); }))
      suppose(topology.getNode(op));
  }
  size_t before;
  do {
    settle();
    before = supposed.size();
    dropUnfed();
  } while (supposed.size() != before);
  for (NodeId node : supposed)
    assignment.assign(node, axis, sumFactor, step);
}

void takePartialSums(Assignment &assignment, llvm::ArrayRef<NodeId> assigned, AxisId axis, uint32_t step) {
  SumTaking(assignment, axis).run(assigned, step);
}

PartialSums derivePartialSums(const Assignment &assignment) {
  const Topology &topology = assignment.getTopology();
  const Graph &graph = assignment.getGraph();
  PartialSums sums;
  sums.ops.resize(graph.ops.size(), 0);
  sums.carried.resize(graph.cells.size(), 0);
  sums.zeros.resize(graph.cells.size(), 0);
  for (AxisId axis : idRange<AxisId>(assignment.getAxes().size())) {
    uint32_t bit = uint32_t(1) << axis.get();
    for (OpId op : idRange<OpId>(graph.ops.size()))
      if (assignment.getFactor(topology.getNode(op), axis) == sumFactor)
        sums.ops[op] |= bit;
    for (CellId cell : idRange<CellId>(graph.cells.size()))
      if (topology.getPlace(cell).isValid() && assignment.isPartialSum(cell, axis))
        sums.carried[cell] |= bit;
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    sums.zeros[cell] = topology.isZero(cell);
  return sums;
}

} // namespace partita
