//===- SizeRoles.cpp - what sizes alone tell of arguments -----------------===//

#include "partita/Search/SizeRoles.h"

#include "partita/Graph/ElementTypes.h"
#include "partita/Schedule/RandomKeys.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace partita::search {

namespace {

using TensorType = std::pair<std::vector<int64_t>, NameId>;

class SizeRoleFinder {
public:
  SizeRoleFinder(const Topology &topology, const ArgumentGroups &groups, const IdVector<DimId, uint8_t> &steppedDims)
      : topology(topology), graph(topology.getGraph()), groups(groups), steppedDims(steppedDims) {}

  SizeRoles run();

private:
  TensorType getType(CellId cell) const {
    llvm::ArrayRef<int64_t> shape = graph.getShape(cell);
    return {std::vector<int64_t>(shape.begin(), shape.end()), graph.cells[cell].element};
  }
  CellId getFirst(GroupId group) const { return groups.list[group].members.front(); }
  int64_t getSize(const GroupDim &entry) const { return graph.getShape(getFirst(entry.group))[entry.dim]; }
  /// The first dim from `from` on that no loop steps through and that can be split.
  std::optional<GroupDim> findDim(GroupId group, uint32_t from) const;
  void countTypes();
  /// The groups of arguments that are no results, each with its first dim.
  std::vector<GroupDim> listInputs() const;
  /// The size that most of the entries have: of integers first, which are never weights, then of results.
  int64_t findCommonSize(llvm::ArrayRef<GroupDim> entries) const;
  std::vector<GroupDim> keepSize(llvm::ArrayRef<GroupDim> entries, int64_t size) const;
  void addOthers(SizeRoles &roles) const;
  /// For each cell, whether a contraction or a lookup depends on it.
  IdVector<CellId, uint8_t> findTaken() const;

  const Topology &topology;
  const Graph &graph;
  const ArgumentGroups &groups;
  const IdVector<DimId, uint8_t> &steppedDims;
  /// The arguments of a type minus its results.
  std::map<TensorType, int64_t> surplus;
  /// The first sizes of results that are no arguments.
  std::set<int64_t> resultSizes;
};

} // namespace

std::optional<GroupDim> SizeRoleFinder::findDim(GroupId group, uint32_t from) const {
  CellId cell = getFirst(group);
  for (uint32_t dim = from; dim < graph.cells[cell].rank; ++dim)
    if (!steppedDims[topology.getDim(cell, dim)] && graph.getShape(cell)[dim] > 1 && !isWordsOfKey(graph, cell, dim))
      return GroupDim{group, dim};
  return std::nullopt;
}

void SizeRoleFinder::countTypes() {
  for (CellId cell : graph.arguments)
    ++surplus[getType(cell)];
  for (CellId cell : graph.results)
    --surplus[getType(cell)];
  for (CellId cell : graph.results)
    if (surplus[getType(cell)] < 0 && graph.cells[cell].rank > 0)
      resultSizes.insert(graph.getShape(cell).front());
}

std::vector<GroupDim> SizeRoleFinder::listInputs() const {
  std::vector<GroupDim> inputs;
  for (GroupId group : idRange<GroupId>(groups.list.size())) {
    CellId cell = getFirst(group);
    if (graph.cells[cell].kind != CellKind::Argument || surplus.at(getType(cell)) <= 0)
      continue;
    if (std::optional<GroupDim> entry = findDim(group, 0))
      inputs.push_back(*entry);
  }
  return inputs;
}

int64_t SizeRoleFinder::findCommonSize(llvm::ArrayRef<GroupDim> entries) const {
  struct Score {
    bool isOfIntegers = false, isOfResults = false;
    size_t count = 0;
    auto operator<=>(const Score &) const = default;
  };
  std::map<int64_t, Score> scores;
  for (const GroupDim &entry : entries) {
    Score &score = scores[getSize(entry)];
    score.isOfIntegers |= !isFloat(graph, getFirst(entry.group));
    score.isOfResults = resultSizes.contains(getSize(entry));
    score.count += groups.list[entry.group].members.size();
  }
  std::pair<Score, int64_t> best;
  for (const auto &[size, score] : scores)
    best = std::max(best, std::pair(score, size));
  return best.second;
}

std::vector<GroupDim> SizeRoleFinder::keepSize(llvm::ArrayRef<GroupDim> entries, int64_t size) const {
  std::vector<GroupDim> kept;
  llvm::copy_if(entries, std::back_inserter(kept), [&](const GroupDim &entry) { return getSize(entry) == size; });
  return kept;
}

/// Goes from what contractions and lookups take back to the arguments; not from an argument to its next value.
IdVector<CellId, uint8_t> SizeRoleFinder::findTaken() const {
  IdVector<CellId, uint8_t> isTaken(graph.cells.size(), 0);
  std::vector<CellId> open;
  auto take = [&](OpId op) {
    for (CellId operand : graph.getOperands(op))
      if (!isTaken[operand]) {
        isTaken[operand] = 1;
        open.push_back(operand);
      }
  };
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].opClass == OpClass::Contraction || graph.ops[op].opClass == OpClass::Indexing)
      take(op);
  while (!open.empty()) {
    CellId cell = open.back();
    open.pop_back();
    if (graph.cells[cell].kind == CellKind::Argument)
      continue;
    for (OpId op : topology.getDefinitions(cell))
      take(op);
    if (OpId op = topology.getDefinition(cell); op.isValid())
      take(op);
  }
  return isTaken;
}

void SizeRoleFinder::addOthers(SizeRoles &roles) const {
  // Smaller ones are hardly worth a collective.
  constexpr int64_t smallestPart = 500;
  auto isOther = [&](GroupId group) {
    auto isSame = [&](const GroupDim &entry) { return entry.group == group; };
    const Cell &cell = graph.cells[getFirst(group)];
    return cell.kind == CellKind::Argument && cell.rank > 0 && !isKey(graph, getFirst(group)) &&
           llvm::none_of(roles.shared, isSame);
  };
  int64_t largest = 0;
  for (GroupId group : idRange<GroupId>(groups.list.size()))
    if (isOther(group))
      largest = std::max(largest, groups.list[group].bytes);
  IdVector<CellId, uint8_t> isTaken = findTaken();
  for (GroupId group : idRange<GroupId>(groups.list.size())) {
    if (!isOther(group) || groups.list[group].bytes < largest / smallestPart)
      continue;
    roles.others.push_back(group);
    if (llvm::none_of(groups.list[group].members, [&](CellId cell) { return isTaken[cell]; }))
      roles.state.push_back(group);
  }
}

SizeRoles SizeRoleFinder::run() {
  countTypes();
  SizeRoles roles;
  std::vector<GroupDim> inputs = listInputs(), next;
  roles.shared = keepSize(inputs, findCommonSize(inputs));
  for (const GroupDim &entry : roles.shared)
    if (std::optional<GroupDim> behind = findDim(entry.group, entry.dim + 1))
      next.push_back(*behind);
  roles.next = keepSize(next, findCommonSize(next));
  addOthers(roles);
  return roles;
}

SizeRoles findSizeRoles(const Topology &topology, const ArgumentGroups &groups,
                        const IdVector<DimId, uint8_t> &steppedDims) {
  return SizeRoleFinder(topology, groups, steppedDims).run();
}

} // namespace partita::search
