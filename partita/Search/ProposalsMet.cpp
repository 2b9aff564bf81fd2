//===- ProposalsMet.cpp - moves for what tiles meet -----------------------===//

#include "partita/Search/MoveBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

/// A dim that is only on this side of the conflict; preferably an argument's.
static DimId chooseDim(const Topology &topology, const Conflict &conflict, const ConflictSide &side) {
  auto rank = [&](DimId dim) {
    bool isShared = llvm::any_of(conflict.sides, [&](const ConflictSide &other) {
      return &other != &side && std::binary_search(other.dims.begin(), other.dims.end(), dim);
    });
    CellKind kind = topology.getGraph().cells[topology.getCell(dim)].kind;
    return 2 * isShared + (kind != CellKind::Argument && kind != CellKind::Result);
  };
  return *std::min_element(side.dims.begin(), side.dims.end(), [&](DimId a, DimId b) { return rank(a) < rank(b); });
}

/// For each side number, adds a move that takes that side in all conflicts.
void MoveBuilder::addSides(const Move &move, llvm::ArrayRef<Conflict> conflicts) {
  size_t numSides = 0;
  for (const Conflict &conflict : conflicts)
    numSides = std::max(numSides, conflict.sides.size());
  NamedAxis axis{move.axis, move.parts};
  for (size_t side = 0; side < std::min<size_t>(numSides, 4); ++side) {
    std::map<uint32_t, std::vector<CellId>> cells;
    for (const Conflict &conflict : conflicts) {
      if (side >= conflict.sides.size() || conflict.sides[side].dims.empty())
        continue;
      DimId dim = chooseDim(topology, conflict, conflict.sides[side]);
      std::vector<CellId> &list = cells[topology.getDimNumber(dim)];
      if (!llvm::is_contained(list, topology.getCell(dim)))
        list.push_back(topology.getCell(dim));
    }
    llvm::SmallVector<MoveEntry> entries;
    for (auto &[dim, list] : cells)
      entries.push_back({ActionKind::Side, addTarget(std::move(list)), dim});
    entries.append(move.entries.begin(), move.entries.end());
    add(MoveRole::Side, move.kind, axis, entries);
  }
}

/// Adds moves with cuts at the reshapes that the move passes, grouped by shape: at each group, and at all of them.
void MoveBuilder::addCuts(const Move &move, llvm::ArrayRef<NodeId> splits) {
  std::map<std::vector<int64_t>, std::vector<CellId>> classes;
  std::vector<NodeId> sorted(splits.begin(), splits.end());
  llvm::sort(sorted);
  std::vector<CellId> all;
  for (NodeId node : sorted) {
    if (!topology.isOp(node))
      continue;
    OpId op = topology.getOp(node);
    if (graph.ops[op].kind != OpKind::Reshape)
      continue;
    CellId cell = graph.getResults(op).front();
    classes[std::vector<int64_t>(graph.getShape(cell).begin(), graph.getShape(cell).end())].push_back(cell);
    all.push_back(cell);
  }
  NamedAxis axis{move.axis, move.parts};
  auto addCut = [&](std::vector<CellId> cells) {
    llvm::SmallVector<MoveEntry> entries{{ActionKind::Cut, addTarget(std::move(cells)), std::nullopt}};
    entries.append(move.entries.begin(), move.entries.end());
    add(MoveRole::Cut, move.kind, axis, entries);
  };
  if (all.empty())
    return;
  if (classes.size() > 1 && classes.size() <= 6)
    for (auto &[shape, cells] : classes)
      addCut(cells);
  addCut(std::move(all));
}

void MoveBuilder::addWhatTilesMeet() {
  size_t numTiles = table.moves.size(), numSides = 0, numCuts = 0;
  // For the first of symmetric moves.
  std::map<MoveId, std::pair<std::vector<Conflict>, std::vector<NodeId>>> met;
  table.reaches.resize(numTiles);
  keys.resize(numTiles);
  for (MoveId id : idRange<MoveId>(numTiles)) {
    Move move = table.moves[id];
    if (move.role != MoveRole::Tile || move.kind == GroupKind::OptimizerState)
      continue;
    makeAlone(id);
    if (table.symmetric[id] == id)
      met[id] = {runner.getConflicts(), runner.getSplits()};
    const auto &[conflicts, splits] = met[table.symmetric[id]];
    CellId first = table.targets[move.entries.back().target].members.front();
    DimId root = topology.getDim(first, *move.entries.back().dim);
    table.reaches[id].startsAtResidual = reachFinder.isResidual(first);
    size_t before = table.moves.size();
    if (!conflicts.empty() && numSides < options.maxSides)
      addSides(move, conflicts);
    numSides += table.moves.size() - before;
    before = table.moves.size();
    bool mayCut = move.kind == GroupKind::Parameter || move.kind == GroupKind::State || move.kind == GroupKind::Input;
    if (mayCut && numCuts < options.maxCuts && reachFinder.splitsBatch(root, table.reaches[id]))
      addCuts(move, splits);
    numCuts += table.moves.size() - before;
  }
}

} // namespace partita::search
