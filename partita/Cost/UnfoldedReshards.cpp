//===- UnfoldedReshards.cpp - from a folded program's reshards to the whole's ===//

#include "partita/Cost/UnfoldedReshards.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

class ReshardUnfolder {
public:
  ReshardUnfolder(const Folding &folding, const Topology &whole, const Reshards &folded)
      : folding(folding), graph(whole.getGraph()), topology(whole), folded(folded) {}

  std::optional<UnfoldedReshards> run() {
    result.reshards.uses.resize(graph.uses.size());
    result.reshards.definitions.resize(graph.definitions.size());
    addBoundaries();
    firsts.push_back(0);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      addOp(op);
    firsts.push_back(static_cast<uint32_t>(result.reshards.size()));
    result.reshards.firsts = std::move(firsts);
    for (OpId op : idRange<OpId>(graph.ops.size()))
      linkOp(op);
    for (ReshardId id : idRange<ReshardId>(result.reshards.size()))
      linkSource(id);
    return isWhole ? std::optional(std::move(result)) : std::nullopt;
  }

private:
  /// A cell has one reshard of a kind at its definition, and one in each region and phase that uses it.
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;

  static Key makeKey(CellId cell, const Reshard &reshard, RegionId region) {
    if (reshard.position != ReshardPosition::BeforeUse)
      return {cell.get(), reshard.plan.get(), UINT32_MAX, 0};
    return {cell.get(), reshard.plan.get(), region.get(), static_cast<uint32_t>(reshard.phase)};
  }
  /// A region of the whole program that lies as far around the op as a region of the folded one around the op that
  /// represents it.
  RegionId findRegion(OpId op, RegionId foldedRegion) const {
    RegionId region = graph.ops[op].region;
    for (RegionId inner = folding.graph.ops[folding.foldedOps[op]].region; inner != foldedRegion && inner.get() != 0;
         inner = folding.graph.regions[inner].parent)
      region = graph.regions[region].parent;
    return region;
  }
  /// The region in which the final value of a carried value, or the result of branches, is.
  RegionId findBoundaryRegion(CellId cell) const {
    switch (graph.cells[cell].kind) {
    case CellKind::Carried:
      return graph.regions[graph.cells[cell].region].parent;
    case CellKind::Branch:
      return topology.getDefinitions(cell).empty()
                 ? RegionId(0)
                 : graph.regions[graph.ops[topology.getDefinitions(cell).front()].region].parent;
    default:
      return RegionId(0);
    }
  }

  void add(ReshardId from, CellId cell, OpId op, RegionId region) {
    Reshard reshard = folded[from];
    Key key = makeKey(cell, reshard, region);
    if (!known.try_emplace(key, ReshardId(static_cast<uint32_t>(result.reshards.size()))).second)
      return;
    reshard.cell = cell;
    reshard.op = op;
    reshard.region = region;
    reshard.source = {};
    result.reshards.list.push_back(reshard);
    result.origins.push_back(from);
  }

  void addBoundaries() {
    std::vector<std::pair<CellId, ReshardId>> boundaries;
    for (ReshardId id : idRange<ReshardId>(folded.size()))
      if (!folded[id].op.isValid())
        for (CellId cell : folding.members[folded[id].cell])
          boundaries.push_back({cell, id});
    llvm::sort(boundaries);
    for (auto [cell, id] : boundaries)
      add(id, cell, OpId(), findBoundaryRegion(cell));
  }

  /// The number of an operand or result of the folded op, as the same of the whole program's; they have as many, unless
  /// an op takes values of all layers.
  static CellId findCell(llvm::ArrayRef<CellId> foldedCells, llvm::ArrayRef<CellId> cells, CellId cell) {
    const CellId *found = llvm::find(foldedCells, cell);
    auto number = static_cast<size_t>(found - foldedCells.begin());
    return number < std::min(cells.size(), foldedCells.size()) ? cells[number] : CellId();
  }

  void addOp(OpId op) {
    OpId from = folding.foldedOps[op];
    firsts.push_back(static_cast<uint32_t>(result.reshards.size()));
    for (ReshardId id : folded.getBefore(from)) {
      CellId cell = findCell(folding.graph.getOperands(from), graph.getOperands(op), folded[id].cell);
      if (cell.isValid())
        add(id, cell, op, findRegion(op, folded[id].region));
    }
    firsts.push_back(static_cast<uint32_t>(result.reshards.size()));
    for (ReshardId id : folded.getAfter(from)) {
      CellId cell = findCell(folding.graph.getResults(from), graph.getResults(op), folded[id].cell);
      if (cell.isValid())
        add(id, cell, op, findRegion(op, folded[id].region));
    }
  }

  /// What a value takes where the folded program takes `from`.
  ReshardId find(ReshardId from, CellId cell, RegionId region) {
    if (!from.isValid())
      return {};
    auto found = known.find(makeKey(cell, folded[from], region));
    isWhole &= found != known.end();
    return found == known.end() ? ReshardId() : found->second;
  }

  void linkOp(OpId op) {
    OpId from = folding.foldedOps[op];
    const Op &own = graph.ops[op], &other = folding.graph.ops[from];
    for (uint32_t operand = 0; operand < own.numUses; ++operand) {
      // An op that takes values of all layers has more operands than the folded one.
      UseId use(own.firstUse + operand), foldedUse(other.firstUse + std::min(operand, other.numUses - 1));
      if (ReshardId id = folded.uses[foldedUse]; id.isValid())
        result.reshards.uses[use] = find(id, graph.uses[use], findRegion(op, folded[id].region));
    }
    for (uint32_t number = 0; number < own.numDefinitions; ++number)
      if (ReshardId id = folded.getDefinition(folding.graph, from, number); id.isValid())
        result.reshards.definitions[own.firstDefinition + number] =
            find(id, graph.getResults(op)[number], findRegion(op, folded[id].region));
  }

  void linkSource(ReshardId id) {
    Reshard &reshard = result.reshards.list[id];
    ReshardId source = folded[result.origins[id]].source;
    if (source.isValid())
      reshard.source = find(source, reshard.cell, reshard.region);
  }

  const Folding &folding;
  const Graph &graph;
  const Topology &topology;
  const Reshards &folded;
  UnfoldedReshards result;
  std::vector<uint32_t> firsts;
  llvm::DenseMap<Key, ReshardId> known;
  bool isWhole = true;
};

std::optional<UnfoldedReshards> unfoldReshards(const Folding &folding, const Topology &whole, const Reshards &folded) {
  return ReshardUnfolder(folding, whole, folded).run();
}

} // namespace partita::cost
