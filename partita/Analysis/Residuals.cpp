//===- Residuals.cpp - the sums that branches of a network come back to ---===//

#include "partita/Analysis/Residuals.h"

#include "llvm/ADT/STLExtras.h"

namespace partita {

namespace {

class ResidualFinder {
public:
  explicit ResidualFinder(const Topology &topology) : topology(topology), graph(topology.getGraph()) {}

  bool isResidual(OpId op) const;

private:
  bool isBroadcast(CellId cell) const;
  bool isFromContraction(CellId cell) const;
  bool hasSeveralUses(CellId cell) const;

  const Topology &topology;
  const Graph &graph;
};

} // namespace

bool ResidualFinder::isBroadcast(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  return op.isValid() && graph.ops[op].numUses <= 1 &&
         (graph.ops[op].numUses == 0 || graph.getBytes(graph.getOperands(op).front()) < graph.getBytes(cell));
}

/// Through ops of one operand, and sums with what was broadcast.
bool ResidualFinder::isFromContraction(CellId cell) const {
  constexpr int maxSteps = 6;
  for (int step = 0; step < maxSteps; ++step) {
    OpId op = topology.getDefinition(cell);
    if (!op.isValid() || topology.getPlace(cell).isValid())
      return false;
    if (graph.ops[op].opClass == OpClass::Contraction)
      return true;
    llvm::ArrayRef<CellId> operands = graph.getOperands(op);
    bool isBiased = operands.size() == 2 && graph.ops[op].linearity == Linearity::Sum && isBroadcast(operands[1]);
    if (operands.size() != 1 && !isBiased)
      return false;
    cell = operands.front();
  }
  return false;
}

/// In the forward pass.
bool ResidualFinder::hasSeveralUses(CellId cell) const {
  auto isForward = [&](UseId use) { return graph.ops[topology.getUser(use)].phase == Phase::Forward; };
  return llvm::count_if(topology.getUses(cell), isForward) >= 2;
}

bool ResidualFinder::isResidual(OpId id) const {
  const Op &op = graph.ops[id];
  bool isSum = op.phase == Phase::Forward && op.opClass == OpClass::Elementwise && op.linearity == Linearity::Sum &&
               op.numUses == 2 && op.numDefinitions == 1;
  if (!isSum || graph.cells[graph.getResults(id).front()].rank < 2)
    return false;
  CellId a = graph.getOperands(id)[0], b = graph.getOperands(id)[1];
  if (isBroadcast(a) || isBroadcast(b))
    return false;
  bool isBranchA = isFromContraction(a), isBranchB = isFromContraction(b);
  if (isBranchA && isBranchB)
    return hasSeveralUses(graph.getResults(id).front());
  return (isBranchA && hasSeveralUses(b)) || (isBranchB && hasSeveralUses(a));
}

IdVector<OpId, uint8_t> findResiduals(const Topology &topology) {
  ResidualFinder finder(topology);
  IdVector<OpId, uint8_t> found(topology.getGraph().ops.size(), 0);
  for (OpId op : idRange<OpId>(found.size()))
    found[op] = finder.isResidual(op);
  return found;
}

} // namespace partita
