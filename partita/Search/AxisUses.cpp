//===- AxisUses.cpp - what each axis of the mesh is used for --------------===//

#include "partita/Search/AxisUses.h"

namespace partita::search {

namespace {

class UseFinder {
public:
  UseFinder(const Assignment &assignment, const Multiplicity &multiplicity, const ArgumentGroups &groups,
            const Colors &colors)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        multiplicity(multiplicity), groups(groups), colors(colors) {
    found.ofAxis.resize(assignment.getAxes().size());
  }

  AxisUses run() {
    addOps();
    for (CellId cell : graph.arguments)
      addArgument(cell);
    return std::move(found);
  }

private:
  void addOps();
  void addArgument(CellId cell);
  double computeWork(OpId op, bool hasContractions) const;
  ColorId findColor(OpFactorId opFactor) const;

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  const Multiplicity &multiplicity;
  const ArgumentGroups &groups;
  const Colors &colors;
  AxisUses found;
};

} // namespace

/// The first named color among the dims of a factor.
ColorId UseFinder::findColor(OpFactorId opFactor) const {
  ColorId first;
  for (const FactorDim &entry : topology.getDims(opFactor)) {
    ColorId color = colors.ofDim[entry.dim];
    if (color.isValid() && !colors.list[color].word.empty())
      return color;
    if (!first.isValid())
      first = color;
  }
  return first;
}

/// Flops, or the elements of results in a program without contractions.
double UseFinder::computeWork(OpId op, bool hasContractions) const {
  const Op &info = graph.ops[op];
  double work = 0;
  if (info.opClass == OpClass::Contraction)
    work = double(info.flops);
  else if (!hasContractions && info.numDefinitions > 0)
    for (work = 1; int64_t size : graph.getShape(graph.getResults(op)[0]))
      work *= double(size);
  return work * double(std::max<int64_t>(1, graph.getMultiplicity(info.region))) * double(multiplicity.get(op));
}

void UseFinder::addOps() {
  bool hasContractions =
      llvm::any_of(graph.ops.raw(), [](const Op &op) { return op.opClass == OpClass::Contraction && op.flops > 0; });
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    double work = computeWork(op, hasContractions);
    NodeId node = topology.getNode(op);
    for (AxisId axis : idRange<AxisId>(found.ofAxis.size())) {
      uint8_t factor = assignment.getFactor(node, axis);
      if (factor >= sumFactor)
        continue;
      found.ofAxis[axis].isUsed = true;
      if (work > 0)
        found.ofAxis[axis].work[findColor(topology.getOpFactor(node, factor))] += work;
    }
  }
}

void UseFinder::addArgument(CellId cell) {
  Sharding sharding = assignment.getCellSharding(cell);
  for (const DimAxes &dim : sharding.dims)
    for (AxisId axis : dim)
      found.ofAxis[axis].isUsed = true;
  GroupId id = groups.ofCell[cell];
  if (!id.isValid())
    return;
  const ArgumentGroup &group = groups.list[id];
  bool isParameter = group.kind == GroupKind::Parameter;
  if (!isParameter && group.kind != GroupKind::OptimizerState)
    return;
  double bytes = double(group.bytes) / double(group.members.size());
  (isParameter ? found.parameterBytes : found.stateBytes) += bytes;
  for (auto [dim, list] : llvm::enumerate(sharding.dims)) {
    ColorId color = colors.ofDim[topology.getDim(cell, static_cast<uint32_t>(dim))];
    for (AxisId axis : list) {
      AxisUse &use = found.ofAxis[axis];
      StoredBytes &stored = isParameter ? use.parameters : use.state;
      (color.isValid() && use.work.contains(color) ? stored.atWork : stored.inParts) += bytes;
    }
  }
}

AxisUses findAxisUses(const Assignment &assignment, const Multiplicity &multiplicity, const ArgumentGroups &groups,
                      const Colors &colors) {
  return UseFinder(assignment, multiplicity, groups, colors).run();
}

} // namespace partita::search
