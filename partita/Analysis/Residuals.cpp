//===- Residuals.cpp - finds residual sums --------------------------------===//

#include "partita/Analysis/Residuals.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::analysis {

namespace {

class ResidualFinder {
public:
  explicit ResidualFinder(const Topology &topology)
      : topology(topology), graph(topology.getGraph()), found(graph.ops.size(), 0), walks(graph.ops.size(), 0) {}

  IdVector<OpId, uint8_t> run();

private:
  bool isResidual(OpId op);
  bool isBroadcast(CellId cell) const;
  bool isFromContraction(CellId cell) const;
  bool hasSeveralUses(CellId cell) const;
  bool dependsOn(OpId op, CellId source);
  bool isBranchOf(CellId branch, CellId cell);

  const Topology &topology;
  const Graph &graph;
  /// Whether each earlier op is a residual sum.
  IdVector<OpId, uint8_t> found;
  /// For each op, the number of the last walk that reached it.
  IdVector<OpId, uint32_t> walks;
  uint32_t walk = 0;
};

} // namespace

bool ResidualFinder::isBroadcast(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  return op.isValid() && graph.ops[op].numUses <= 1 &&
         (graph.ops[op].numUses == 0 || graph.getBytes(graph.getOperands(op).front()) < graph.getBytes(cell));
}

/// Follows ops with one operand, and sums with a broadcast value.
bool ResidualFinder::isFromContraction(CellId cell) const {
  constexpr int maxSteps = 6;
  for (int step = 0; step < maxSteps; ++step) {
    OpId op = topology.getDefinition(cell);
    if (!op.isValid() || topology.getBoundaryNode(cell).isValid())
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

/// Stays within one block: does not follow earlier residual sums, so that a bias that all layers add to their attention
/// scores does not count; nor ops before the source.
bool ResidualFinder::dependsOn(OpId op, CellId source) {
  constexpr size_t maxOps = 1024;
  OpId start = topology.getDefinition(source);
  llvm::SmallVector<OpId> work{op};
  size_t numSeen = 0;
  ++walk;
  while (!work.empty() && numSeen < maxOps)
    for (CellId cell : graph.getOperands(work.pop_back_val())) {
      if (topology.getRepresentative(cell) == topology.getRepresentative(source))
        return true;
      OpId next = topology.getDefinition(cell);
      if (!next.isValid() || (start.isValid() && next < start) || found[next] != 0 || walks[next] == walk)
        continue;
      walks[next] = walk;
      ++numSeen;
      work.push_back(next);
    }
  return false;
}

/// Whether `branch` is a contraction, perhaps moved, biased or masked (dropout), that depends on `cell`, and `cell` has
/// other uses too.
bool ResidualFinder::isBranchOf(CellId branch, CellId cell) {
  constexpr size_t maxOps = 16;
  if (!hasSeveralUses(cell))
    return false;
  llvm::SmallVector<CellId> work{branch};
  for (size_t number = 0; number < maxOps && !work.empty(); ++number) {
    CellId next = work.pop_back_val();
    OpId op = topology.getDefinition(next);
    if (next == cell || !op.isValid() || topology.getBoundaryNode(next).isValid() || found[op] != 0)
      continue;
    if (graph.ops[op].opClass == OpClass::Contraction && dependsOn(op, cell))
      return true;
    if (graph.ops[op].opClass == OpClass::Elementwise || graph.ops[op].numUses == 1)
      llvm::append_range(work, graph.getOperands(op));
  }
  return false;
}

bool ResidualFinder::isResidual(OpId id) {
  const Op &op = graph.ops[id];
  bool isSum = op.phase == Phase::Forward && op.opClass == OpClass::Elementwise && op.linearity == Linearity::Sum &&
               op.numUses == 2 && op.numDefinitions == 1;
  if (!isSum || graph.cells[graph.getResults(id).front()].rank < 2)
    return false;
  CellId a = graph.getOperands(id)[0], b = graph.getOperands(id)[1];
  if (isBroadcast(a) || isBroadcast(b))
    return false;
  if (isFromContraction(a) && isFromContraction(b))
    return hasSeveralUses(graph.getResults(id).front());
  return isBranchOf(a, b) || isBranchOf(b, a);
}

IdVector<OpId, uint8_t> ResidualFinder::run() {
  for (OpId op : idRange<OpId>(found.size()))
    found[op] = isResidual(op);
  return std::move(found);
}

IdVector<OpId, uint8_t> findResiduals(const Topology &topology) { return ResidualFinder(topology).run(); }

} // namespace partita::analysis
