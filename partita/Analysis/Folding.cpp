//===- Folding.cpp - keeps few of the layers that repeat ------------------===//

#include "partita/Analysis/Folding.h"

#include "partita/Analysis/LayerElision.h"

#include <algorithm>

namespace partita::analysis {

namespace {

/// Copies the items that stay, renumbered, in their order.
class FoldingBuilder {
public:
  FoldingBuilder(const Topology &topology, const Repetition &repetition, FoldMargin margin)
      : topology(topology), whole(topology.getGraph()), elision(topology, repetition, static_cast<int32_t>(margin)),
        chains(elision.getChains()), numMaps(repetition.numMaps) {}

  bool isWorthwhile() const;
  Folding run();

private:
  void addRegions();
  void addCells();
  void addOps();
  void addBoundary();
  void addStacks();
  void addPositions();
  StackPosition getPosition(ItemId item) const;
  /// The items of the whole program that an item of the folded one represents.
  std::vector<ItemId> collectMembers(ItemId item) const;
  CellId findSubstitute(CellId cell, OpId user) const;

  bool isRemoved(CellId cell) const {
    ItemId item = chains.getItem(cell);
    return item.isValid() && elision.isRemoved(item);
  }
  CellId map(CellId cell) const { return folding.folded[cell]; }

  const Topology &topology;
  const Graph &whole;
  LayerElision elision;
  const LayerChains &chains;
  size_t numMaps;
  Folding folding;
  IdVector<RegionId, RegionId> newRegions;
  IdVector<RepetitionMapId, uint32_t> stackOfMap;
};

} // namespace

bool FoldingBuilder::isWorthwhile() const {
  for (RepetitionMapId map : idRange<RepetitionMapId>(numMaps))
    if (elision.getWindow(map).countRemoved() > 0)
      return true;
  return false;
}

std::vector<ItemId> FoldingBuilder::collectMembers(ItemId item) const {
  if (!item.isValid() || !elision.isRepresentative(item))
    return {item};
  ChainId chain = chains.getChain(item);
  const ElisionWindow &window = elision.getWindow(chains[chain].map);
  // It is directly before or directly behind the window.
  int32_t first = std::min(window.first, chains.getPosition(item));
  return chains.getMembers(chain, first, first + window.count + 1).vec();
}

void FoldingBuilder::addRegions() {
  newRegions.resize(whole.regions.size());
  for (RegionId id : idRange<RegionId>(whole.regions.size())) {
    ItemId item = chains.getItem(id);
    if (elision.isRemoved(item))
      continue;
    Region region = whole.regions[id];
    if (region.parent.isValid())
      region.parent = newRegions[region.parent];
    newRegions[id] = folding.graph.regions.push_back(region);
    std::vector<RegionId> members;
    for (ItemId member : collectMembers(item))
      members.push_back(RegionId(member.get() - chains.getItem(RegionId(0)).get()));
    folding.regionMembers.push_back(std::move(members));
  }
}

/// The result with the same number, if the item is an op; otherwise the cell of the boundary value.
static CellId getCell(const Topology &topology, ItemId item, CellId like) {
  NodeId node(item.get());
  if (!topology.isOp(node))
    return topology.getBoundaryCell(node);
  return topology.getGraph().getResults(topology.getOp(node))[topology.getResultNumber(like)];
}

void FoldingBuilder::addCells() {
  folding.folded.resize(whole.cells.size());
  for (CellId id : idRange<CellId>(whole.cells.size())) {
    if (isRemoved(id))
      continue;
    Cell cell = whole.cells[id];
    cell.region = newRegions[cell.region];
    CellId made = folding.graph.cells.push_back(cell);
    folding.origins.push_back(id);
    std::vector<CellId> members;
    for (ItemId member : collectMembers(chains.getItem(id)))
      members.push_back(member.isValid() ? getCell(topology, member, id) : id);
    for (CellId member : members)
      folding.folded[member] = made;
    folding.multiplicity.cells.push_back(static_cast<int64_t>(members.size()));
    folding.members.push_back(std::move(members));
  }
}

CellId FoldingBuilder::findSubstitute(CellId cell, OpId user) const {
  ItemId item = chains.getItem(cell);
  if (!item.isValid() || !elision.isRemoved(item))
    return map(cell);
  return map(getCell(topology, elision.findSubstitute(item, user), cell));
}

void FoldingBuilder::addOps() {
  folding.foldedOps.resize(whole.ops.size());
  for (OpId id : idRange<OpId>(whole.ops.size())) {
    ItemId item = chains.getItem(id);
    if (elision.isRemoved(item))
      continue;
    Op op = whole.ops[id];
    op.region = newRegions[op.region];
    op.firstUse = folding.graph.uses.size();
    for (CellId cell : whole.getOperands(id))
      folding.graph.uses.push_back(findSubstitute(cell, id));
    op.firstDefinition = folding.graph.definitions.size();
    for (CellId cell : whole.getResults(id))
      folding.graph.definitions.push_back(map(cell));
    OpId made = folding.graph.ops.push_back(op);
    folding.opOrigins.push_back(id);
    std::vector<OpId> members;
    for (ItemId member : collectMembers(item))
      members.push_back(OpId(member.get()));
    for (OpId member : members)
      folding.foldedOps[member] = made;
    folding.multiplicity.ops.push_back(static_cast<int64_t>(members.size()));
    folding.opMembers.push_back(std::move(members));
  }
}

/// Arguments, results, ties, shardings and other facts about the cells that stay.
void FoldingBuilder::addBoundary() {
  Graph &graph = folding.graph;
  auto addCellsOf = [&](llvm::ArrayRef<CellId> from, std::vector<CellId> &to) {
    for (CellId cell : from)
      if (!isRemoved(cell))
        to.push_back(map(cell));
  };
  addCellsOf(whole.arguments, graph.arguments);
  addCellsOf(whole.results, graph.results);
  addCellsOf(whole.donated, graph.donated);
  for (const Tie &tie : whole.ties)
    if (!isRemoved(tie.argument))
      graph.ties.push_back({map(tie.argument), map(tie.result)});
  for (SteppedDim step : whole.steppedDims)
    if (!isRemoved(step.cell) && newRegions[step.loop].isValid())
      graph.steppedDims.push_back({map(step.cell), step.dim, newRegions[step.loop]});
  for (const SplitBoundary &boundary : whole.boundaries)
    if (!isRemoved(boundary.cell))
      graph.boundaries.push_back({map(boundary.cell), boundary.dim, boundary.stride});
  for (GivenSharding sharding : whole.shardings)
    if (!isRemoved(sharding.cell)) {
      sharding.cell = map(sharding.cell);
      graph.shardings.push_back(std::move(sharding));
    }
}

void FoldingBuilder::addStacks() {
  stackOfMap.resize(numMaps, StackPosition::noStack);
  for (RepetitionMapId map : idRange<RepetitionMapId>(numMaps)) {
    const ElisionWindow &window = elision.getWindow(map);
    if (window.countRemoved() == 0)
      continue;
    stackOfMap[map] = static_cast<uint32_t>(folding.stacks.size());
    folding.stacks.push_back(
        {map, static_cast<uint32_t>(window.count), static_cast<uint32_t>(window.opsPerLayer), window.first});
  }
}

StackPosition FoldingBuilder::getPosition(ItemId item) const {
  ChainId chain = chains.getChain(item);
  if (!chain.isValid() || !elision.isElided(chain))
    return {};
  const ElisionWindow &window = elision.getWindow(chains[chain].map);
  int32_t position = chains.getPosition(item);
  bool isBehind = position >= window.first && elision.isRepresentative(item);
  return {stackOfMap[chains[chain].map], position, isBehind ? window.first : position};
}

void FoldingBuilder::addPositions() {
  for (CellId cell : folding.origins.raw())
    folding.cellPositions.push_back(getPosition(chains.getItem(cell)));
  IdVector<ChainId, uint32_t> begins(chains.size(), UINT32_MAX);
  for (OpId op : folding.opOrigins.raw()) {
    ItemId item = chains.getItem(op);
    folding.opPositions.push_back(getPosition(item));
    folding.multiplicity.stacks.push_back(folding.opPositions.raw().back().stack);
    folding.opChains.push_back({});
    if (!folding.opPositions.raw().back().isValid())
      continue;
    ChainId id = chains.getChain(item);
    const LayerChain &chain = chains[id];
    if (begins[id] == UINT32_MAX) {
      begins[id] = static_cast<uint32_t>(folding.chainOps.size());
      for (int32_t position = chain.first; position < chain.getEnd(); ++position)
        folding.chainOps.push_back(OpId(chains.getMember(id, position).get()));
    }
    folding.opChains[OpId(folding.opChains.size() - 1)] = {begins[id], chain.size, chain.first};
  }
}

Folding FoldingBuilder::run() {
  Graph &graph = folding.graph;
  graph.programName = whole.programName;
  graph.programSha256 = whole.programSha256;
  graph.names = whole.names;
  graph.sizes = whole.sizes;
  graph.factors = whole.factors;
  graph.dimFactors = whole.dimFactors;
  graph.mesh = whole.mesh;
  addRegions();
  addCells();
  addOps();
  addBoundary();
  addStacks();
  addPositions();
  canonicalizeNames(graph);
  return std::move(folding);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// The position in the folded program, in which elided layers do not count.
static int32_t closeUp(const FoldedStack &stack, int32_t position) {
  return position < stack.firstRemoved ? position : position - static_cast<int32_t>(stack.numRemoved);
}

CopyOps Folding::getCopyOps(CellId cell, OpId op) const {
  if (!isFolded() || !opPositions[op].isValid())
    return {};
  StackPosition user = opPositions[op], own = cellPositions[cell];
  if (!own.isValid() || own.stack != user.stack)
    return {opMembers[op].size() == 1 ? CopyOps::Kind::Origin : CopyOps::Kind::Members, 0};
  const FoldedStack &stack = stacks[own.stack];
  int32_t distance = closeUp(stack, user.position) - closeUp(stack, own.position);
  return {CopyOps::Kind::LayerChain, own.firstCopy + distance - opChains[op].first};
}

//===----------------------------------------------------------------------===//
// Without folding
//===----------------------------------------------------------------------===//

template <typename IdT>
static void setPlain(size_t size, IdVector<IdT, IdT> *origins, IdVector<IdT, IdT> *folded,
                     IdVector<IdT, std::vector<IdT>> &members) {
  for (IdT id : idRange<IdT>(size)) {
    members.push_back({id});
    if (origins)
      origins->push_back(id);
    if (folded)
      folded->push_back(id);
  }
}

Folding buildPlainFolding(const Graph &graph) {
  Folding folding;
  folding.graph = graph;
  setPlain<CellId>(graph.cells.size(), &folding.origins, &folding.folded, folding.members);
  setPlain<OpId>(graph.ops.size(), &folding.opOrigins, &folding.foldedOps, folding.opMembers);
  setPlain<RegionId>(graph.regions.size(), nullptr, nullptr, folding.regionMembers);
  return folding;
}

/// Whether each op comes after the definitions of its operands, as in the whole program.
static bool isOrdered(const Topology &topology, const Folding &folding) {
  for (OpId op : idRange<OpId>(folding.graph.ops.size()))
    for (auto [cell, original] :
         llvm::zip(folding.graph.getOperands(op), topology.getGraph().getOperands(folding.opOrigins[op]))) {
      OpId definition = topology.getDefinition(folding.origins[cell]);
      bool wasOrdered =
          !topology.getDefinition(original).isValid() || topology.getDefinition(original) < folding.opOrigins[op];
      if (wasOrdered && definition.isValid() && definition > folding.opOrigins[op])
        return false;
    }
  return true;
}

Folding buildFolding(const Topology &topology, const Repetition &repetition, FoldMargin margin) {
  FoldingBuilder builder(topology, repetition, margin);
  if (!builder.isWorthwhile())
    return buildPlainFolding(topology.getGraph());
  Folding folding = builder.run();
  return isOrdered(topology, folding) ? std::move(folding) : buildPlainFolding(topology.getGraph());
}

} // namespace partita::analysis
