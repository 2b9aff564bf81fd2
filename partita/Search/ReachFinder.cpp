//===- ReachFinder.cpp - summarizes what a move splits --------------------===//

#include "partita/Search/ReachFinder.h"

#include "partita/Analysis/Residuals.h"

#include <set>

namespace partita::search {

ReachFinder::ReachFinder(const Topology &topology, const ArgumentGroups &groups)
    : topology(topology), graph(topology.getGraph()), groups(groups), residuals(findResiduals(topology)) {
  for (const ArgumentGroup &group : groups.list.raw())
    parameterBytes += group.kind == GroupKind::Parameter ? double(group.bytes) : 0;
}

bool ReachFinder::isResidual(CellId cell) const {
  OpId op = topology.getDefinition(cell);
  return op.isValid() && residuals[op] != 0;
}

/// Whether the op looks up rows of a parameter and the axes split its rows, not the content of a row.
bool ReachFinder::splitsRows(OpId id, llvm::ArrayRef<AxisId> axes, const Assignment &assignment) const {
  const Op &op = graph.ops[id];
  if (op.phase != Phase::Forward || op.opClass != OpClass::Indexing || op.numUses == 0)
    return false;
  GroupId group = groups.ofCell[graph.getOperands(id).front()];
  if (!group.isValid() || groups.list[group].kind != GroupKind::Parameter)
    return false;
  NodeId node = topology.getNode(id);
  return llvm::any_of(axes, [&](AxisId axis) {
    uint8_t factor = assignment.getFactor(node, axis);
    return factor < topology.getNumOpFactors(node) &&
           topology.getDefinedDims(topology.getOpFactor(node, factor)).empty();
  });
}

/// Follows the dim from the root through ops of one operand only: slices of stacked layers, conversions.
bool ReachFinder::splitsBatch(DimId root, const MoveReach &reach) const {
  std::vector<DimId> work{root};
  std::set<DimId> seen{root};
  while (!work.empty()) {
    DimId dim = work.back();
    work.pop_back();
    for (OpFactorId opFactor : topology.getOpFactors(dim)) {
      NodeId node = topology.getNode(opFactor);
      if (!topology.isOp(node) || !reach.has(node))
        continue;
      const Op &op = graph.ops[topology.getOp(node)];
      if (op.opClass == OpClass::Contraction) {
        if (op.numUses == 2 && topology.getDims(opFactor).size() >= 3)
          return true;
        continue;
      }
      if (op.phase != Phase::Forward)
        continue;
      for (const FactorDim &entry : topology.getDims(opFactor))
        if (seen.size() < 64 && seen.insert(entry.dim).second)
          work.push_back(entry.dim);
    }
  }
  return false;
}

MoveReach ReachFinder::find(llvm::ArrayRef<NodeId> splits, llvm::ArrayRef<AxisId> axes,
                            const Assignment &assignment) const {
  MoveReach reach;
  double splitBytes = 0;
  for (NodeId node : splits) {
    size_t word = node.get() / 64;
    if (reach.nodes.size() <= word)
      reach.nodes.resize(word + 1, 0);
    reach.nodes[word] |= uint64_t(1) << (node.get() % 64);
    if (!topology.isOp(node)) {
      GroupId group = groups.ofCell[topology.getBoundaryCell(node)];
      if (group.isValid() && groups.list[group].kind == GroupKind::Parameter)
        splitBytes += double(groups.list[group].bytes) / double(groups.list[group].members.size());
      continue;
    }
    OpId id = topology.getOp(node);
    const Op &op = graph.ops[id];
    if (op.opClass == OpClass::Contraction)
      reach.products.push_back(node);
    reach.splitsResidual |= residuals[id] != 0;
    reach.flops += double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region)));
    reach.splitsTable |= splitsRows(id, axes, assignment);
  }
  // Small parameters do not count: a position table has the sequence dim, biases have dims of the multiplicity.
  constexpr double smallPart = 1.0 / 64;
  reach.splitsParameters = splitBytes > parameterBytes * smallPart;
  llvm::sort(reach.products);
  for (NodeId node : reach.products)
    reach.productFactors.push_back(assignment.getFactor(node, axes.front()));
  return reach;
}

} // namespace partita::search
