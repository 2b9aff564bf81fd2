//===- ArgumentGroups.cpp - arguments with the same role ------------------===//

#include "partita/Analysis/ArgumentGroups.h"

#include "partita/Analysis/LayerChains.h"
#include "partita/Analysis/Residuals.h"

#include <map>
#include <set>
#include <tuple>

namespace partita::analysis {

static ArgumentKinds findKinds(const Topology &topology, const Repetition &repetition) {
  IdVector<CellId, uint8_t> repeats(topology.getGraph().cells.size(), 0);
  for (CellId cell : idRange<CellId>(repeats.size()))
    if (CellId next = repetition.nextCells[cell]; next.isValid())
      repeats[cell] = repeats[next] = 1;
  return findArgumentKinds(topology, [&](CellId cell) { return repeats[cell] != 0; });
}

namespace {

class GroupFinder {
public:
  GroupFinder(const Topology &topology, const Repetition &repetition)
      : topology(topology), graph(topology.getGraph()), kinds(findKinds(topology, repetition)),
        chains(topology, repetition) {
    groups.ofCell.resize(graph.cells.size());
  }

  ArgumentGroups run();

private:
  /// The key of a group: the first cell of the layer chain, and for optimizer state the group of its parameter.
  using Key = std::pair<CellId, GroupId>;

  void add(CellId cell, GroupKind kind, GroupId parameter);
  void addInner();
  bool isTilePoint(OpId id, bool isResidual) const;
  void sort(size_t numArgumentGroups);

  const Topology &topology;
  const Graph &graph;
  ArgumentKinds kinds;
  LayerChains chains;
  std::map<Key, GroupId> known;
  ArgumentGroups groups;
};

/// The most groups of inner cells; more would add little.
constexpr size_t maxInnerGroups = 24;
/// Inner cells smaller than this part of the largest are not worth a decision.
constexpr int64_t smallestInnerPart = 64;

} // namespace

void GroupFinder::add(CellId cell, GroupKind kind, GroupId parameter) {
  Key key(chains.findFirst(cell), parameter);
  auto [found, isNew] = known.try_emplace(key, GroupId());
  if (isNew)
    found->second = groups.list.push_back({kind, {}, parameter, 0});
  ArgumentGroup &group = groups.list[found->second];
  group.members.push_back(cell);
  group.bytes += graph.getBytes(cell);
  groups.ofCell[cell] = found->second;
}

/// Whether the sharding of the cell does not follow from an argument: a sum of branches with several uses, perhaps
/// behind a barrier, and the result of a contraction.
bool GroupFinder::isTilePoint(OpId id, bool isResidual) const {
  const Op &op = graph.ops[id];
  if (op.phase != Phase::Forward || op.numDefinitions != 1 || op.numUses < 2)
    return false;
  CellId cell = graph.getResults(id).front();
  if (graph.cells[cell].kind != CellKind::OpResult || graph.cells[cell].rank < 2)
    return false;
  bool isSum = op.opClass == OpClass::Elementwise && op.linearity == Linearity::Sum;
  return isResidual || (isSum && topology.getUses(cell).size() >= 2) || op.opClass == OpClass::Contraction;
}

void GroupFinder::addInner() {
  IdVector<OpId, uint8_t> residuals = findResiduals(topology);
  std::vector<CellId> points;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (isTilePoint(op, residuals[op] != 0))
      points.push_back(graph.getResults(op).front());
  // Residual sums first, then the largest; all cells of a chain, or none.
  auto isResidual = [&](CellId cell) { return residuals[topology.getDefinition(cell)] != 0; };
  std::vector<CellId> largest;
  std::set<CellId> seen;
  for (CellId cell : points)
    if (seen.insert(chains.findFirst(cell)).second)
      largest.push_back(cell);
  int64_t largestBytes = 0;
  for (CellId cell : largest)
    largestBytes = std::max(largestBytes, graph.getBytes(cell));
  llvm::sort(largest, [&](CellId a, CellId b) {
    return std::tuple(!isResidual(a), -graph.getBytes(a), a) < std::tuple(!isResidual(b), -graph.getBytes(b), b);
  });
  largest.resize(std::min(largest.size(), maxInnerGroups));
  llvm::erase_if(largest, [&](CellId cell) { return graph.getBytes(cell) < largestBytes / smallestInnerPart; });
  std::vector<uint8_t> isChosen(graph.cells.size(), 0);
  for (CellId cell : largest)
    isChosen[chains.findFirst(cell).get()] = 1;
  for (CellId cell : points)
    if (isChosen[chains.findFirst(cell).get()])
      add(cell, GroupKind::Inner, GroupId());
}

/// Numbers groups by their first members: groups of arguments first, then those of inner cells.
void GroupFinder::sort(size_t numArgumentGroups) {
  std::vector<GroupId> order;
  for (GroupId id : idRange<GroupId>(groups.list.size()))
    order.push_back(id);
  std::sort(order.begin(), order.end(), [&](GroupId a, GroupId b) {
    return std::pair(a.get() >= numArgumentGroups, groups.list[a].members.front()) <
           std::pair(b.get() >= numArgumentGroups, groups.list[b].members.front());
  });
  IdVector<GroupId, GroupId> renumbered(order.size());
  IdVector<GroupId, ArgumentGroup> sorted;
  for (GroupId old : order)
    renumbered[old] = sorted.push_back(std::move(groups.list[old]));
  for (GroupId id : idRange<GroupId>(sorted.size()))
    if (sorted[id].parameter.isValid())
      sorted[id].parameter = renumbered[sorted[id].parameter];
  groups.list = std::move(sorted);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (groups.ofCell[cell].isValid())
      groups.ofCell[cell] = renumbered[groups.ofCell[cell]];
}

ArgumentGroups GroupFinder::run() {
  for (CellId cell : graph.arguments)
    if (kinds.kinds[cell] != GroupKind::OptimizerState)
      add(cell, kinds.kinds[cell], GroupId());
  for (CellId cell : graph.arguments)
    if (kinds.kinds[cell] == GroupKind::OptimizerState) {
      CellId parameter = kinds.parameters[cell];
      add(cell, GroupKind::OptimizerState, parameter.isValid() ? groups.ofCell[parameter] : GroupId());
    }
  size_t numArgumentGroups = groups.list.size();
  addInner();
  sort(numArgumentGroups);
  return std::move(groups);
}

ArgumentGroups findArgumentGroups(const Topology &topology, const Repetition &repetition) {
  return GroupFinder(topology, repetition).run();
}

ArgumentGroups foldGroups(const ArgumentGroups &groups, const Folding &folding) {
  ArgumentGroups folded;
  folded.list = groups.list;
  folded.ofCell.resize(folding.graph.cells.size());
  for (GroupId id : idRange<GroupId>(groups.list.size())) {
    std::vector<CellId> members;
    for (CellId cell : groups.list[id].members)
      members.push_back(folding.folded[cell]);
    llvm::sort(members);
    members.erase(llvm::unique(members), members.end());
    for (CellId cell : members)
      folded.ofCell[cell] = id;
    folded.list[id].members = std::move(members);
  }
  return folded;
}

} // namespace partita::analysis
