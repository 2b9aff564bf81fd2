//===- RepetitionMap.cpp - maps a program to itself, one layer on ---------===//

#include "partita/Analysis/RepetitionMap.h"

#include <algorithm>

namespace partita::analysis {

namespace {

class RepetitionMapGrower {
public:
  RepetitionMapGrower(const Topology &topology, const StructuralHash &structuralHash, const ClaimedItems &claimed,
                      SerialSums serialSums)
      : topology(topology), graph(topology.getGraph()), structuralHash(structuralHash), claimed(claimed),
        serialSums(serialSums) {
    map.nextOps.resize(graph.ops.size());
    map.nextCells.resize(graph.cells.size());
    map.nextRegions.resize(graph.regions.size());
    lastOps.resize(graph.ops.size());
    lastCells.resize(graph.cells.size());
    lastRegions.resize(graph.regions.size());
    for (const Tie &tie : graph.ties)
      if (topology.getRepresentative(tie.result) == tie.argument)
        tiedResults.push_back(tie);
    llvm::sort(tiedResults, [](const Tie &a, const Tie &b) { return a.argument < b.argument; });
  }

  RepetitionMap run(OpId from, OpId to);

private:
  /// A user of a cell that is still to be paired.
  struct OpenUse {
    uint64_t hash;
    uint32_t operand;
    OpId user;
    auto operator<=>(const OpenUse &) const = default;
  };
  using OpenUses = llvm::SmallVector<OpenUse, 8>;

  bool pair(OpId from, OpId to);
  bool pair(RegionId from, RegionId to);
  /// Maps one cell to the other, and their definitions. Returns whether the cells are mapped now.
  bool pairCells(CellId from, CellId to);
  bool pairBoundaryValues(CellId from, CellId to);
  void pairTied(CellId from, CellId to);
  void addPair(OpId from, OpId to);
  void noteCells(CellId from, CellId to);
  void visitOperands(OpId from, OpId to);
  void visitUses(CellId from, CellId to);
  template <typename IsOpen> bool hasOpenUse(CellId cell, IsOpen isOpen) const;
  template <typename Hash, typename IsOpen> OpenUses collectUses(CellId cell, Hash hash, IsOpen isOpen) const;
  void pairUses(OpenUses &from, OpenUses &to, bool onlyIfUnique);
  CellId findTiedResult(CellId argument) const;
  bool isSerialSum(OpId op) const;

  const Topology &topology;
  const Graph &graph;
  const StructuralHash &structuralHash;
  const ClaimedItems &claimed;
  SerialSums serialSums;
  RepetitionMap map;
  IdVector<OpId, OpId> lastOps;
  IdVector<CellId, CellId> lastCells;
  IdVector<RegionId, RegionId> lastRegions;
  std::vector<Tie> tiedResults;
  /// Operands determine pairs with certainty, so ops come before the uses of cells.
  std::vector<OpId> pendingOps;
  std::vector<CellId> pendingCells;
  size_t nextPendingCell = 0;
};

} // namespace

CellId RepetitionMapGrower::findTiedResult(CellId argument) const {
  auto found =
      llvm::lower_bound(tiedResults, argument, [](const Tie &tie, CellId cell) { return tie.argument < cell; });
  return found != tiedResults.end() && found->argument == argument ? found->result : CellId();
}

bool RepetitionMapGrower::pair(RegionId from, RegionId to) {
  if (from == to)
    return true;
  if (claimed.regions[from] || claimed.regions[to])
    return false;
  if (map.nextRegions[from].isValid() || lastRegions[to].isValid())
    return map.nextRegions[from] == to;
  if (!graph.regions[from].parent.isValid() || !graph.regions[to].parent.isValid() ||
      !structuralHash.areAlike(from, to) || !pair(graph.regions[from].parent, graph.regions[to].parent))
    return false;
  map.nextRegions[from] = to;
  lastRegions[to] = from;
  return true;
}

/// Whether it adds a scalar to the result of an op like itself, or gives its own sum to such an op.
bool RepetitionMapGrower::isSerialSum(OpId id) const {
  const Op &op = graph.ops[id];
  if (op.phase == Phase::Forward || op.linearity != Linearity::Sum || op.numDefinitions != 1 ||
      graph.cells[graph.getResults(id).front()].rank != 0)
    return false;
  auto isLike = [&](OpId other) {
    return other.isValid() && structuralHash.getOwnHash(other) == structuralHash.getOwnHash(id);
  };
  return llvm::any_of(graph.getOperands(id), [&](CellId cell) { return isLike(topology.getDefinition(cell)); }) ||
         llvm::any_of(topology.getUses(graph.getResults(id).front()),
                      [&](UseId use) { return isLike(topology.getUser(use)); });
}

bool RepetitionMapGrower::pair(OpId from, OpId to) {
  if (from == to || claimed.ops[from] || claimed.ops[to])
    return false;
  if (map.nextOps[from].isValid() || lastOps[to].isValid())
    return map.nextOps[from] == to;
  if (serialSums == SerialSums::Stay && (isSerialSum(from) || isSerialSum(to)))
    return false;
  if (!structuralHash.areAlike(from, to) || !pair(graph.ops[from].region, graph.ops[to].region))
    return false;
  addPair(from, to);
  return true;
}

void RepetitionMapGrower::addPair(OpId from, OpId to) {
  map.nextOps[from] = to;
  lastOps[to] = from;
  ++map.numPairs;
  pendingOps.push_back(from);
}

void RepetitionMapGrower::noteCells(CellId from, CellId to) {
  map.nextCells[from] = to;
  lastCells[to] = from;
  pendingCells.push_back(from);
}

bool RepetitionMapGrower::pairBoundaryValues(CellId from, CellId to) {
  if (claimed.cells[from] || claimed.cells[to])
    return false;
  if (map.nextCells[from].isValid() || lastCells[to].isValid())
    return map.nextCells[from] == to;
  llvm::ArrayRef<OpId> definitions = topology.getDefinitions(from), others = topology.getDefinitions(to);
  if (!structuralHash.areAlike(from, to) || definitions.size() != others.size() ||
      !pair(graph.cells[from].region, graph.cells[to].region))
    return false;
  noteCells(from, to);
  for (auto [definition, other] : llvm::zip(definitions, others))
    pair(definition, other);
  return true;
}

bool RepetitionMapGrower::pairCells(CellId from, CellId to) {
  if (from == to)
    return true;
  if (topology.getBoundaryNode(from).isValid() && topology.getBoundaryNode(to).isValid())
    return pairBoundaryValues(from, to);
  OpId definition = topology.getDefinition(from), other = topology.getDefinition(to);
  return definition.isValid() && other.isValid() && topology.getResultNumber(from) == topology.getResultNumber(to) &&
         pair(definition, other);
}

/// Maps an argument together with its next state.
void RepetitionMapGrower::pairTied(CellId from, CellId to) {
  if (graph.cells[from].kind == CellKind::Argument && graph.cells[to].kind == CellKind::Argument) {
    from = findTiedResult(from);
    to = findTiedResult(to);
    if (from.isValid() && to.isValid())
      pairCells(from, to);
    return;
  }
  CellId argument = topology.getRepresentative(from), other = topology.getRepresentative(to);
  if (argument != from && other != to)
    pairBoundaryValues(argument, other);
}

void RepetitionMapGrower::visitOperands(OpId from, OpId to) {
  bool isTorn = false;
  for (auto [operand, other] : llvm::zip(graph.getOperands(from), graph.getOperands(to)))
    isTorn |= !pairCells(operand, other);
  map.numTorn += isTorn;
  for (auto [result, other] : llvm::zip(graph.getResults(from), graph.getResults(to))) {
    if (topology.getBoundaryNode(result).isValid())
      pairBoundaryValues(result, other);
    else if (!map.nextCells[result].isValid() && !lastCells[other].isValid())
      noteCells(result, other);
    pairTied(result, other);
  }
}

template <typename IsOpen> bool RepetitionMapGrower::hasOpenUse(CellId cell, IsOpen isOpen) const {
  return llvm::any_of(topology.getUses(cell), [&](UseId use) {
    OpId user = topology.getUser(use);
    return isOpen(user) && !claimed.ops[user];
  });
}

template <typename Hash, typename IsOpen>
RepetitionMapGrower::OpenUses RepetitionMapGrower::collectUses(CellId cell, Hash hash, IsOpen isOpen) const {
  OpenUses uses;
  for (UseId use : topology.getUses(cell)) {
    OpId user = topology.getUser(use);
    if (!claimed.ops[user] && isOpen(user))
      uses.push_back({hash(user), use.get() - graph.ops[user].firstUse, user});
  }
  llvm::sort(uses);
  return uses;
}

/// Pairs users with equal hashes in program order, if both sides have the same number.
void RepetitionMapGrower::pairUses(OpenUses &from, OpenUses &to, bool onlyIfUnique) {
  auto isSame = [](const OpenUse &a, const OpenUse &b) { return a.hash == b.hash && a.operand == b.operand; };
  auto isBefore = [](const OpenUse &a, const OpenUse &b) {
    return std::tie(a.hash, a.operand) < std::tie(b.hash, b.operand);
  };
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    if (!isSame(from[i], to[j])) {
      isBefore(from[i], to[j]) ? ++i : ++j;
      continue;
    }
    size_t endOfFrom = i, endOfTo = j;
    while (endOfFrom < from.size() && isSame(from[endOfFrom], from[i]))
      ++endOfFrom;
    while (endOfTo < to.size() && isSame(to[endOfTo], to[j]))
      ++endOfTo;
    size_t count = endOfFrom - i;
    if (count == endOfTo - j && (count == 1 || !onlyIfUnique))
      for (size_t k = 0; k < count; ++k)
        pair(from[i + k].user, to[j + k].user);
    i = endOfFrom;
    j = endOfTo;
  }
}

void RepetitionMapGrower::visitUses(CellId from, CellId to) {
  auto isOpenFrom = [&](OpId user) { return !map.nextOps[user].isValid(); };
  auto isOpenTo = [&](OpId user) { return !lastOps[user].isValid(); };
  // Most users are already paired through their other operands.
  auto visit = [&](auto hash, bool onlyIfUnique) {
    if (!hasOpenUse(from, isOpenFrom) || !hasOpenUse(to, isOpenTo))
      return;
    OpenUses uses = collectUses(from, hash, isOpenFrom), others = collectUses(to, hash, isOpenTo);
    pairUses(uses, others, onlyIfUnique);
  };
  visit([&](OpId op) { return structuralHash.getFarHash(op); }, /*onlyIfUnique=*/false);
  // Near the first and last layers, surroundings differ.
  visit([&](OpId op) { return structuralHash.getOwnHash(op); }, /*onlyIfUnique=*/true);
}

RepetitionMap RepetitionMapGrower::run(OpId from, OpId to) {
  if (!pair(from, to))
    return std::move(map);
  while (!pendingOps.empty() || nextPendingCell < pendingCells.size()) {
    if (!pendingOps.empty()) {
      OpId op = pendingOps.back();
      pendingOps.pop_back();
      visitOperands(op, map.nextOps[op]);
      continue;
    }
    CellId cell = pendingCells[nextPendingCell++];
    visitUses(cell, map.nextCells[cell]);
    pairTied(cell, map.nextCells[cell]);
  }
  return std::move(map);
}

RepetitionMap growRepetitionMap(const Topology &topology, const StructuralHash &structuralHash,
                                const ClaimedItems &claimed, OpId from, OpId to, SerialSums serialSums) {
  return RepetitionMapGrower(topology, structuralHash, claimed, serialSums).run(from, to);
}

} // namespace partita::analysis
