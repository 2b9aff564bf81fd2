//===- PartialSums.cpp - who takes partial sums on ------------------------===//
//
// Supposes that everything linear around the new partial sums takes them, then
// takes out what rests on something that does not, and what only zeros reach,
// until all agree. What is not connected to a new partial sum by linear ops has
// been settled by earlier steps.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/PartialSums.h"

namespace partita::propagate {

//===----------------------------------------------------------------------===//
// What might take the sum
//===----------------------------------------------------------------------===//

PartialSumPropagation::PartialSumPropagation(Assignment &assignment)
    : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
      marks(topology.getNumNodes(), 0), sumCarriers(findPartialSumCarriers(topology)) {}

bool PartialSumPropagation::isPinned(CellId cell) const {
  return assignment.isPinned(topology.getRepresentative(cell), axis);
}

bool PartialSumPropagation::mayTake(NodeId node) const {
  if (!sumCarriers[node] || assignment.getFactor(node, axis) != noFactor)
    return false;
  return topology.isOp(node) || !isPinned(topology.getBoundaryCell(node));
}

/// Whether the cell might be partial, if its source takes the sum.
bool PartialSumPropagation::mayBePartial(CellId cell) const {
  if (topology.isZero(cell) || assignment.isPartialSum(cell, axis))
    return true;
  NodeId source = topology.getSource(cell);
  return source.isValid() && mayTake(source) && !isPinned(cell);
}

/// Whether the op would agree if everything around it did.
bool PartialSumPropagation::mayAgree(OpId op) const {
  llvm::ArrayRef<CellId> operands = getLinearOperands(graph, op);
  if (!llvm::all_of(operands, [&](CellId cell) { return mayBePartial(cell); }))
    return false;
  CellId result = graph.getResults(op).front();
  if (isAdd(graph.ops[op]) || topology.getBoundaryNode(result).isValid())
    return true;
  auto mayTakeUse = [&](UseId use) {
    NodeId user = topology.getNode(topology.getUser(use));
    return mayTake(user) || assignment.getFactor(user, axis) == sumFactor;
  };
  return !isPinned(result) && llvm::all_of(topology.getUses(result), mayTakeUse);
}

void PartialSumPropagation::suppose(NodeId node) {
  if (marks[node] != 0 || !mayTake(node))
    return;
  if (topology.isOp(node) && !mayAgree(topology.getOp(node)))
    return;
  marks[node] = Supposed;
  seen.push_back(node);
}

void PartialSumPropagation::supposeUses(CellId cell) {
  for (UseId use : topology.getUses(cell))
    suppose(topology.getNode(topology.getUser(use)));
}

/// Supposes the same of all that a node shares a sum with.
void PartialSumPropagation::supposeAround(NodeId node) {
  if (!topology.isOp(node)) {
    CellId cell = topology.getBoundaryCell(node);
    supposeUses(cell);
    for (OpId definition : topology.getDefinitions(cell))
      suppose(topology.getNode(definition));
    return;
  }
  OpId op = topology.getOp(node);
  CellId result = graph.getResults(op).front();
  if (NodeId place = topology.getBoundaryNode(result); place.isValid())
    suppose(place);
  else
    supposeUses(result);
  for (CellId cell : getLinearOperands(graph, op)) {
    supposeUses(cell);
    if (NodeId source = topology.getSource(cell); source.isValid())
      suppose(source);
  }
}

//===----------------------------------------------------------------------===//
// What agrees
//===----------------------------------------------------------------------===//

bool PartialSumPropagation::isPartial(CellId cell) const {
  if (assignment.isPartialSum(cell, axis))
    return true;
  NodeId source = topology.getSource(cell);
  return source.isValid() && isSupposed(source) && !isPinned(cell);
}

bool PartialSumPropagation::takes(UseId use) const {
  OpId op = topology.getUser(use);
  return takes(topology.getNode(op)) && isLinearIn(graph.ops[op], use.get() - graph.ops[op].firstUse);
}

bool PartialSumPropagation::isTakenByAllUses(CellId cell) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) { return takes(use); });
}

bool PartialSumPropagation::agrees(OpId op) const {
  llvm::ArrayRef<CellId> operands = getLinearOperands(graph, op);
  if (!llvm::all_of(operands, [&](CellId cell) { return topology.isZero(cell) || isPartial(cell); }))
    return false;
  CellId result = graph.getResults(op).front();
  if (NodeId place = topology.getBoundaryNode(result); place.isValid())
    return takes(place);
  // A sum that is reduced anyway, for another use, is not worth carrying on.
  if (!llvm::any_of(operands, [&](CellId cell) { return isPartial(cell) && isTakenByAllUses(cell); }))
    return false;
  return isAdd(graph.ops[op]) || (!isPinned(result) && isTakenByAllUses(result));
}

/// Entry, yield and all uses in the body take the sum; a condition wants the value itself. Each slice of a stack is
/// reduced once, in the loop or behind it: that saves nothing, unless those behind the loop take the sum further.
bool PartialSumPropagation::agrees(CellId carried) const {
  if (topology.isStack(carried) && !isTakenByAllUses(carried))
    return false;
  RegionId body = graph.cells[carried].region;
  for (UseId use : topology.getUses(carried)) {
    if (!takes(use) && isOfLoop(graph, graph.ops[topology.getUser(use)].region, body))
      return false;
  }
  return llvm::all_of(topology.getDefinitions(carried),
                      [&](OpId definition) { return takes(topology.getNode(definition)); });
}

bool PartialSumPropagation::agrees(NodeId node) const {
  return topology.isOp(node) ? agrees(topology.getOp(node)) : agrees(topology.getBoundaryCell(node));
}

void PartialSumPropagation::enqueue(NodeId node) {
  if ((marks[node] & (Supposed | Queued)) != Supposed)
    return;
  marks[node] |= Queued;
  queue.push_back(node);
}

/// Enqueues what gives the cell its value, and its uses: their agreement may rest on each other.
void PartialSumPropagation::enqueueAround(CellId cell) {
  for (UseId use : topology.getUses(cell))
    enqueue(topology.getNode(topology.getUser(use)));
  for (OpId definition : topology.getDefinitions(cell))
    enqueue(topology.getNode(definition));
  if (NodeId source = topology.getSource(cell); source.isValid())
    enqueue(source);
}

void PartialSumPropagation::takeOut(NodeId node) {
  marks[node] &= ~Supposed;
  if (!topology.isOp(node))
    return enqueueAround(topology.getBoundaryCell(node));
  for (CellId cell : graph.getOperands(topology.getOp(node)))
    enqueueAround(cell);
  for (CellId cell : graph.getResults(topology.getOp(node)))
    enqueueAround(cell);
}

void PartialSumPropagation::settle() {
  while (!queue.empty()) {
    NodeId node = queue.back();
    queue.pop_back();
    marks[node] &= ~Queued;
    if (isSupposed(node) && !agrees(node))
      takeOut(node);
  }
}

void PartialSumPropagation::feed(NodeId node) {
  if ((marks[node] & (Supposed | Fed)) != Supposed)
    return;
  marks[node] |= Fed;
  queue.push_back(node);
}

void PartialSumPropagation::feedFrom(CellId cell) {
  for (UseId use : topology.getUses(cell))
    if (takes(use))
      feed(topology.getNode(topology.getUser(use)));
}

/// Marks what a partial sum of a split reduction reaches.
void PartialSumPropagation::findFed() {
  for (NodeId node : seen)
    if (isSupposed(node) && topology.isOp(node) &&
        llvm::any_of(getLinearOperands(graph, topology.getOp(node)),
                     [&](CellId cell) { return assignment.isPartialSum(cell, axis); }))
      feed(node);
  while (!queue.empty()) {
    NodeId node = queue.back();
    queue.pop_back();
    CellId cell = topology.isOp(node) ? graph.getResults(topology.getOp(node)).front() : topology.getBoundaryCell(node);
    if (isPartial(cell))
      feedFrom(cell);
    if (NodeId place = topology.getBoundaryNode(cell); place.isValid()) {
      feed(place);
      for (OpId definition : topology.getDefinitions(cell))
        feed(topology.getNode(definition));
    }
  }
}

/// Takes out what only zeros reach.
void PartialSumPropagation::dropUnfed() {
  findFed();
  for (NodeId node : seen)
    if (isSupposed(node) && (marks[node] & Fed) == 0)
      takeOut(node);
  for (NodeId node : seen)
    marks[node] &= ~Fed;
}

void PartialSumPropagation::run(llvm::ArrayRef<NodeId> added, AxisId stepAxis, uint32_t step) {
  axis = stepAxis;
  for (NodeId node : added)
    for (CellId cell : graph.getResults(topology.getOp(node)))
      if (assignment.isPartialSum(cell, axis))
        supposeUses(cell);
  for (size_t next = 0; next < seen.size(); ++next)
    supposeAround(seen[next]);
  for (NodeId node : seen)
    enqueue(node);
  while (!queue.empty()) {
    settle();
    dropUnfed();
  }
  for (NodeId node : seen) {
    if (isSupposed(node))
      assignment.assign(node, axis, sumFactor, step);
    marks[node] = 0;
  }
  seen.clear();
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
      if (topology.getBoundaryNode(cell).isValid() && assignment.isPartialSum(cell, axis))
        sums.carried[cell] |= bit;
  }
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    sums.zeros[cell] = topology.isZero(cell);
  return sums;
}

} // namespace partita::propagate
