//===- PartialSums.cpp - which nodes carry partial sums -------------------===//
//
// Finds the greatest consistent set from above:
//
//   1. candidates: all linear nodes connected to a new partial sum
//      (`collectCandidates`). Earlier steps have settled the others;
//   2. remove candidates that are not consistent with the rest, until all are
//      (`removeInconsistent`, a worklist);
//   3. remove candidates that only zeros reach (`removeUnreached`), and go back
//      to 2 if another candidate depended on one of them.
//
// Removals only make other nodes inconsistent, never consistent: the result
// does not depend on their order.
//
//===----------------------------------------------------------------------===//

#include "partita/Propagate/PartialSums.h"

namespace partita::propagate {

PartialSumPropagation::PartialSumPropagation(Assignment &assignment)
    : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
      marks(topology.getNumNodes(), 0), sumCarriers(findPartialSumCarriers(topology)) {}

void PartialSumPropagation::run(llvm::ArrayRef<NodeId> added, AxisId stepAxis, uint32_t step) {
  axis = stepAxis;
  collectCandidates(added);
  worklist = candidates;
  for (NodeId node : candidates)
    marks[node] |= Queued;
  while (!worklist.empty()) {
    removeInconsistent();
    removeUnreached();
  }
  for (NodeId node : candidates) {
    if (isCandidate(node))
      assignment.assign(node, axis, sumFactor, step);
    marks[node] = 0;
  }
  candidates.clear();
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Whether the node can carry the sum, as far as it alone decides.
bool PartialSumPropagation::isEligible(NodeId node) const {
  if (!sumCarriers[node] || assignment.getFactor(node, axis) != noFactor)
    return false;
  return topology.isOp(node) || !isPinned(topology.getBoundaryCell(node));
}

/// Whether the op would be consistent if all eligible nodes around it carried the sum. This ends the collection early.
bool PartialSumPropagation::mayBeConsistent(OpId op) const {
  auto mayBePartial = [&](CellId cell) {
    if (topology.isZero(cell) || assignment.isPartialSum(cell, axis))
      return true;
    NodeId source = topology.getSource(cell);
    return source.isValid() && isEligible(source) && !isPinned(cell);
  };
  auto mayCarry = [&](UseId use) {
    NodeId user = topology.getNode(topology.getUser(use));
    return isEligible(user) || assignment.getFactor(user, axis) == sumFactor;
  };
  if (!llvm::all_of(getLinearOperands(graph, op), mayBePartial))
    return false;
  CellId result = graph.getResults(op).front();
  if (isAdd(graph.ops[op]) || topology.getBoundaryNode(result).isValid())
    return true;
  return !isPinned(result) && llvm::all_of(topology.getUses(result), mayCarry);
}

/// A linear op has one result (verifyGraph).
CellId PartialSumPropagation::getValue(NodeId node) const {
  return topology.isOp(node) ? graph.getResults(topology.getOp(node)).front() : topology.getBoundaryCell(node);
}

void PartialSumPropagation::forEachNeighbor(NodeId node, llvm::function_ref<void(NodeId)> visit) const {
  auto visitUsers = [&](CellId cell) {
    for (UseId use : topology.getUses(cell))
      visit(topology.getNode(topology.getUser(use)));
  };
  CellId value = getValue(node);
  if (!topology.isOp(node)) {
    visitUsers(value);
    for (OpId definition : topology.getDefinitions(value))
      visit(topology.getNode(definition));
    return;
  }
  if (NodeId boundary = topology.getBoundaryNode(value); boundary.isValid())
    visit(boundary);
  else
    visitUsers(value);
  for (CellId operand : getLinearOperands(graph, topology.getOp(node))) {
    visitUsers(operand);
    if (NodeId source = topology.getSource(operand); source.isValid())
      visit(source);
  }
}

/// Breadth first, from the uses of the new partial sums.
void PartialSumPropagation::collectCandidates(llvm::ArrayRef<NodeId> added) {
  auto addCandidate = [&](NodeId node) {
    if (isCandidate(node) || !isEligible(node))
      return;
    if (topology.isOp(node) && !mayBeConsistent(topology.getOp(node)))
      return;
    marks[node] = Candidate;
    candidates.push_back(node);
  };
  for (NodeId node : added)
    for (CellId cell : graph.getResults(topology.getOp(node)))
      if (assignment.isPartialSum(cell, axis))
        for (UseId use : topology.getUses(cell))
          addCandidate(topology.getNode(topology.getUser(use)));
  // NOLINTNEXTLINE(modernize-loop-convert): the list grows.
  for (size_t next = 0; next < candidates.size(); ++next)
    forEachNeighbor(candidates[next], addCandidate);
}

//===----------------------------------------------------------------------===//
// Consistency
//===----------------------------------------------------------------------===//

bool PartialSumPropagation::carries(UseId use) const {
  OpId op = topology.getUser(use);
  return carries(topology.getNode(op)) && isLinearIn(graph.ops[op], use.get() - graph.ops[op].firstUse);
}

bool PartialSumPropagation::allUsesCarry(CellId cell) const {
  return llvm::all_of(topology.getUses(cell), [&](UseId use) { return carries(use); });
}

bool PartialSumPropagation::isPartial(CellId cell) const {
  if (assignment.isPartialSum(cell, axis))
    return true;
  NodeId source = topology.getSource(cell);
  return source.isValid() && isCandidate(source) && !isPinned(cell);
}

bool PartialSumPropagation::isConsistent(OpId op) const {
  llvm::ArrayRef<CellId> operands = getLinearOperands(graph, op);
  if (!llvm::all_of(operands, [&](CellId cell) { return topology.isZero(cell) || isPartial(cell); }))
    return false;
  CellId result = graph.getResults(op).front();
  if (NodeId boundary = topology.getBoundaryNode(result); boundary.isValid())
    return carries(boundary);
  // If every operand is reduced anyway, for another use, carrying the sum saves nothing.
  if (!llvm::any_of(operands, [&](CellId cell) { return isPartial(cell) && allUsesCarry(cell); }))
    return false;
  return isAdd(graph.ops[op]) || (!isPinned(result) && allUsesCarry(result));
}

/// Entry, yield and all uses in the body must carry the sum; a condition needs the value itself. Each slice of a stack
/// is reduced once, in the loop or behind it: a stack saves a reduction only if all uses behind the loop carry the sum.
bool PartialSumPropagation::isConsistent(CellId carried) const {
  if (topology.isStack(carried) && !allUsesCarry(carried))
    return false;
  RegionId body = graph.cells[carried].region;
  for (UseId use : topology.getUses(carried))
    if (!carries(use) && isOfLoop(graph, graph.ops[topology.getUser(use)].region, body))
      return false;
  return llvm::all_of(topology.getDefinitions(carried),
                      [&](OpId definition) { return carries(topology.getNode(definition)); });
}

/// Puts the candidates that may depend on it back on the worklist.
void PartialSumPropagation::removeCandidate(NodeId node) {
  marks[node] &= ~Candidate;
  forEachNeighbor(node, [&](NodeId neighbor) {
    if ((marks[neighbor] & (Candidate | Queued)) != Candidate)
      return;
    marks[neighbor] |= Queued;
    worklist.push_back(neighbor);
  });
}

void PartialSumPropagation::removeInconsistent() {
  while (!worklist.empty()) {
    NodeId node = worklist.back();
    worklist.pop_back();
    marks[node] &= ~Queued;
    if (!isCandidate(node))
      continue;
    if (!(topology.isOp(node) ? isConsistent(topology.getOp(node)) : isConsistent(topology.getBoundaryCell(node))))
      removeCandidate(node);
  }
}

//===----------------------------------------------------------------------===//
// Reachability
//===----------------------------------------------------------------------===//

/// Zeros alone are consistent as a sum too, but nothing is to be reduced. Follows the sums of split reductions along
/// candidates and removes the candidates that none reaches.
void PartialSumPropagation::removeUnreached() {
  // The worklist is empty between rounds; here it holds the frontier.
  auto reach = [&](NodeId node) {
    if ((marks[node] & (Candidate | Reached)) != Candidate)
      return;
    marks[node] |= Reached;
    worklist.push_back(node);
  };
  auto isSum = [&](CellId cell) { return assignment.isPartialSum(cell, axis); };
  for (NodeId node : candidates)
    if (topology.isOp(node) && llvm::any_of(getLinearOperands(graph, topology.getOp(node)), isSum))
      reach(node);
  while (!worklist.empty()) {
    NodeId node = worklist.back();
    worklist.pop_back();
    CellId value = getValue(node);
    if (isPartial(value))
      for (UseId use : topology.getUses(value))
        if (carries(use))
          reach(topology.getNode(topology.getUser(use)));
    // All definitions of a boundary value carry the sum, or none does.
    if (NodeId boundary = topology.getBoundaryNode(value); boundary.isValid()) {
      reach(boundary);
      for (OpId definition : topology.getDefinitions(value))
        reach(topology.getNode(definition));
    }
  }
  for (NodeId node : candidates)
    if ((marks[node] & (Candidate | Reached)) == Candidate)
      removeCandidate(node);
  for (NodeId node : candidates)
    marks[node] &= ~Reached;
}

} // namespace partita::propagate
