//===- Proposals.cpp - builds the moves that a search may make ------------===//

#include "partita/Search/Proposals.h"

#include "partita/Analysis/Gradients.h"
#include "partita/Search/AxisSymmetry.h"
#include "partita/Search/ReachFinder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

namespace partita::search {

namespace {

struct NamedAxis {
  std::string name;
  llvm::SmallVector<AxisId, 2> parts;
};

class MoveBuilder {
public:
  MoveBuilder(const ArgumentGroups &groups, Assignment &base, const IdVector<DimId, uint8_t> &steppedDims,
              const ProposalOptions &options, MoveMemory *memory)
      : groups(groups), base(base), topology(base.getTopology()), graph(base.getGraph()), steppedDims(steppedDims),
        options(options), symmetry(base), runner(base, table, steppedDims, 1u << 20, memory),
        reachFinder(topology, groups) {}

  MoveTable build();

private:
  void findAxes();
  void addTargets();
  void addTiles();
  void addOptimizerState(GroupId parameter);
  void addTogether();
  void addGradients();
  /// Applies each tile alone and adds moves for the conflicts and links that it meets.
  void addWhatTilesMeet();
  void addSides(const Move &move, llvm::ArrayRef<Conflict> conflicts);
  void addCuts(const Move &move, llvm::ArrayRef<NodeId> splits);
  /// Applies the move alone and stores what it splits.
  void makeAlone(MoveId id);
  /// Finds the reaches of moves that were not applied alone yet.
  void findReaches();
  void findRepresentatives();
  void addFactors();
  void addReshards();

  bool isNamed(CellId cell) const;
  bool isDivisible(GroupId group, uint32_t dim, const NamedAxis &axis) const;
  TargetId addTarget(std::vector<CellId> cells);
  TargetId findSubject(TargetId target) const;
  void add(MoveRole role, GroupKind kind, const NamedAxis &axis, llvm::ArrayRef<MoveEntry> entries);
  static MoveEntry tile(GroupId group, std::optional<uint32_t> dim) {
    return {ActionKind::Tile, TargetId(group.get()), dim};
  }
  std::vector<GroupId> findState(GroupId parameter) const;
  /// The groups of the kind that have at least 1/smallestPart of the largest one's size; 0: all. Small ones are hardly
  /// worth a collective.
  std::vector<GroupId> listLarge(GroupKind kind, int64_t smallestPart) const;

  const ArgumentGroups &groups;
  Assignment &base;
  const Topology &topology;
  const Graph &graph;
  const IdVector<DimId, uint8_t> &steppedDims;
  const ProposalOptions &options;
  MoveTable table;
  AxisSymmetry symmetry;
  MoveRunner runner;
  ReachFinder reachFinder;
  std::vector<NamedAxis> axes;
  std::map<std::vector<CellId>, TargetId> knownTargets;
  /// The keys of the states that moves lead to, each applied alone.
  IdVector<MoveId, uint64_t> keys;
};

} // namespace

//===----------------------------------------------------------------------===//
// Axes and targets
//===----------------------------------------------------------------------===//

void MoveBuilder::findAxes() {
  const Axes &all = base.getAxes();
  std::vector<std::string> names = options.axes;
  if (names.empty())
    for (const MeshAxis &axis : all.mesh.axes)
      names.push_back(axis.name);
  for (const std::string &name : names) {
    llvm::SmallVector<AxisId> parts = all.find(name);
    if (parts.empty())
      continue;
    axes.push_back({name, llvm::SmallVector<AxisId, 2>(parts.begin(), parts.end())});
    if (parts.size() > 1)
      for (AxisId part : parts)
        axes.push_back({all.getName(part), {part}});
  }
}

/// Tactics refer to cells by name; inner values of a program without locations may have none.
bool MoveBuilder::isNamed(CellId cell) const {
  CellKind kind = graph.cells[cell].kind;
  return kind == CellKind::Argument || kind == CellKind::Result || !graph.getName(graph.cells[cell].name).empty();
}

void MoveBuilder::addTargets() {
  for (const ArgumentGroup &group : groups.list.raw())
    table.targets.push_back({group.kind, group.members, GroupId(static_cast<uint32_t>(table.targets.size()))});
}

TargetId MoveBuilder::addTarget(std::vector<CellId> cells) {
  auto [entry, isNew] = knownTargets.try_emplace(cells, TargetId(static_cast<uint32_t>(table.targets.size())));
  if (isNew)
    table.targets.push_back({GroupKind::Inner, std::move(cells), GroupId()});
  return entry->second;
}

void MoveBuilder::add(MoveRole role, GroupKind kind, const NamedAxis &axis, llvm::ArrayRef<MoveEntry> entries) {
  auto areNamed = [&](TargetId target) {
    return llvm::all_of(table.targets[target].members, [&](CellId cell) { return isNamed(cell); });
  };
  for (const MoveEntry &entry : entries)
    if (!areNamed(entry.target) || (entry.users.isValid() && !areNamed(entry.users)))
      return;
  Move move;
  move.role = role;
  move.kind = kind;
  if (!isOfMany(role))
    move.subject = findSubject(entries.back().target);
  move.axis = axis.name;
  move.parts = axis.parts;
  move.entries.assign(entries.begin(), entries.end());
  table.symmetric.push_back(symmetry.find(move, MoveId(static_cast<uint32_t>(table.moves.size()))));
  table.moves.push_back(std::move(move));
}

TargetId MoveBuilder::findSubject(TargetId target) const {
  GroupId group = table.targets[target].group;
  bool isOfParameter = group.isValid() && groups.list[group].parameter.isValid();
  return isOfParameter ? TargetId(groups.list[group].parameter.get()) : target;
}

bool MoveBuilder::isDivisible(GroupId group, uint32_t dim, const NamedAxis &axis) const {
  int64_t size = graph.getShape(groups.list[group].members.front())[dim];
  for (AxisId part : axis.parts) {
    if (size % base.getAxes()[part].size != 0)
      return false;
    size /= base.getAxes()[part].size;
  }
  return size > 0;
}

std::vector<GroupId> MoveBuilder::findState(GroupId parameter) const {
  std::vector<GroupId> found;
  for (GroupId group : idRange<GroupId>(groups.list.size()))
    if (groups.list[group].kind == GroupKind::OptimizerState && groups.list[group].parameter == parameter)
      found.push_back(group);
  return found;
}

std::vector<GroupId> MoveBuilder::listLarge(GroupKind kind, int64_t smallestPart) const {
  int64_t largest = 0;
  for (const ArgumentGroup &group : groups.list.raw())
    if (group.kind == kind)
      largest = std::max(largest, group.bytes);
  std::vector<GroupId> found;
  for (GroupId group : idRange<GroupId>(groups.list.size()))
    if (groups.list[group].kind == kind &&
        groups.list[group].bytes >= (smallestPart == 0 ? 0 : largest / smallestPart) &&
        graph.cells[groups.list[group].members.front()].rank > 0)
      found.push_back(group);
  return found;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Adds tiles of the optimizer state of one group of parameters along one dim: alone, and with the parameters kept
/// whole.
void MoveBuilder::addOptimizerState(GroupId parameter) {
  std::vector<GroupId> state = findState(parameter);
  if (state.empty())
    return;
  for (uint32_t dim = 0; dim < graph.cells[groups.list[parameter].members.front()].rank; ++dim)
    for (const NamedAxis &axis : axes) {
      if (!isDivisible(parameter, dim, axis))
        continue;
      llvm::SmallVector<MoveEntry> entries;
      for (GroupId group : state)
        entries.push_back(tile(group, dim));
      add(MoveRole::Tile, GroupKind::OptimizerState, axis, entries);
      entries.insert(entries.begin(), {ActionKind::Atomic, TargetId(parameter.get()), std::nullopt});
      add(MoveRole::GroupOptimizerState, GroupKind::OptimizerState, axis, entries);
    }
}

void MoveBuilder::addTiles() {
  std::vector<GroupId> order;
  for (GroupId group : idRange<GroupId>(groups.list.size()))
    order.push_back(group);
  llvm::sort(order, [&](GroupId a, GroupId b) {
    return std::pair(-groups.list[a].bytes, a) < std::pair(-groups.list[b].bytes, b);
  });
  for (GroupId group : order) {
    if (table.moves.size() >= options.maxTiles)
      return;
    const ArgumentGroup &info = groups.list[group];
    if (info.members.empty() || (info.kind == GroupKind::OptimizerState && info.parameter.isValid()))
      continue;
    if (!llvm::all_of(info.members, [&](CellId cell) { return isNamed(cell); }))
      continue;
    for (uint32_t dim = 0; dim < graph.cells[info.members.front()].rank; ++dim) {
      // A split dim that a loop steps through would be gathered before the loop.
      bool isStepped = steppedDims[topology.getDim(info.members.front(), dim)] != 0;
      if (isStepped && info.kind != GroupKind::OptimizerState)
        continue;
      for (const NamedAxis &axis : axes)
        if (isDivisible(group, dim, axis))
          add(MoveRole::Tile, info.kind, axis, tile(group, dim));
    }
    if (info.kind == GroupKind::Parameter)
      addOptimizerState(group);
  }
}

void MoveBuilder::addTogether() {
  std::vector<GroupId> parameters = listLarge(GroupKind::Parameter, 500), every = listLarge(GroupKind::Parameter, 0);
  std::vector<GroupId> state = listLarge(GroupKind::OptimizerState, 500);
  for (const NamedAxis &axis : axes) {
    llvm::SmallVector<MoveEntry> ofParameters, ofState, whole;
    for (GroupId group : parameters) {
      ofParameters.push_back(tile(group, std::nullopt));
      whole.push_back({ActionKind::Atomic, TargetId(group.get()), std::nullopt});
    }
    for (GroupId group : state)
      ofState.push_back(tile(group, std::nullopt));
    if (!ofParameters.empty())
      add(MoveRole::AllParameters, GroupKind::Parameter, axis, ofParameters);
    if (every.size() > parameters.size()) {
      llvm::SmallVector<MoveEntry> ofEvery;
      for (GroupId group : every)
        ofEvery.push_back(tile(group, std::nullopt));
      add(MoveRole::EveryParameter, GroupKind::Parameter, axis, ofEvery);
    }
    if (ofState.empty())
      continue;
    add(MoveRole::AllOptimizerState, GroupKind::OptimizerState, axis, ofState);
    whole.append(ofState);
    add(MoveRole::OptimizerStateAlone, GroupKind::OptimizerState, axis, whole);
  }
}

/// For all large parameters whose gradients loops keep: tiles the gradients along the first dim that divides. Cuts at
/// the parameters and at the ops that compute gradients, including those of small parameters, which the tile would
/// reach otherwise.
void MoveBuilder::addGradients() {
  std::vector<GroupId> large = listLarge(GroupKind::Parameter, 500);
  std::vector<CellId> kept, sources, parameters;
  for (const Gradients &gradients : findGradients(topology, groups)) {
    llvm::append_range(sources, gradients.sources);
    llvm::append_range(parameters, groups.list[gradients.parameter].members);
    if (llvm::is_contained(large, gradients.parameter))
      llvm::append_range(kept, gradients.kept);
  }
  auto isUnnamed = [&](CellId cell) { return !isNamed(cell); };
  if (kept.empty() || llvm::any_of(sources, isUnnamed))
    return;
  llvm::erase_if(kept, isUnnamed);
  llvm::sort(sources);
  sources.erase(llvm::unique(sources), sources.end());
  TargetId ofKept = addTarget(std::move(kept)), ofSources = addTarget(std::move(sources));
  TargetId ofParameters = addTarget(std::move(parameters));
  for (const NamedAxis &axis : axes)
    add(MoveRole::AllGradients, GroupKind::Parameter, axis,
        {{ActionKind::Cut, ofParameters, std::nullopt},
         {ActionKind::Cut, ofSources, std::nullopt},
         {ActionKind::Tile, ofKept, std::nullopt}});
}

//===----------------------------------------------------------------------===//
// Sides and cuts
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Local moves
//===----------------------------------------------------------------------===//

/// Adds each factor of the contractions with most work, for all layers together.
void MoveBuilder::addFactors() {
  std::vector<std::pair<double, OpId>> ops;
  std::map<uint32_t, std::vector<CellId>> results;
  auto getKind = [&](OpId id) { return options.opKinds.empty() ? id.get() : options.opKinds[id]; };
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    if (op.opClass != OpClass::Contraction || op.numDefinitions != 1)
      continue;
    std::vector<CellId> &ofKind = results[getKind(id)];
    if (ofKind.empty())
      ops.emplace_back(-double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region))), id);
    ofKind.push_back(graph.getResults(id).front());
  }
  llvm::sort(ops);
  ops.resize(std::min<size_t>(ops.size(), options.maxOps));
  for (const auto &[work, id] : ops) {
    NodeId node = topology.getNode(id);
    TargetId target = addTarget(results[getKind(id)]);
    for (uint32_t factor = 0; factor < topology.getNumOpFactors(node); ++factor)
      for (const NamedAxis &axis : axes) {
        int64_t rest = base.getPartSize(topology.getOpFactor(node, static_cast<uint8_t>(factor)));
        for (AxisId part : axis.parts)
          rest = rest > 0 && rest % base.getAxes()[part].size == 0 ? rest / base.getAxes()[part].size : -1;
        if (rest > 0)
          add(MoveRole::Factor, GroupKind::Inner, axis, MoveEntry{ActionKind::Assign, target, factor});
      }
  }
}

/// For parameters with several uses: one reshard for all uses, and one for each.
void MoveBuilder::addReshards() {
  std::vector<std::pair<int64_t, GroupId>> order;
  for (GroupId id : idRange<GroupId>(groups.list.size()))
    if (groups.list[id].kind == GroupKind::Parameter && topology.getUses(groups.list[id].members.front()).size() > 1)
      order.emplace_back(-groups.list[id].bytes, id);
  llvm::sort(order);
  order.resize(std::min<size_t>(order.size(), options.maxReshards));
  for (const auto &[bytes, id] : order) {
    std::vector<CellId> all;
    std::vector<std::vector<CellId>> single;
    for (CellId member : groups.list[id].members) {
      size_t number = 0;
      for (UseId use : topology.getUses(member)) {
        llvm::ArrayRef<CellId> results = graph.getResults(topology.getUser(use));
        if (results.size() != 1 || graph.cells[results.front()].kind != CellKind::OpResult)
          continue;
        all.push_back(results.front());
        single.resize(std::max(single.size(), number + 1));
        single[number++].push_back(results.front());
      }
    }
    if (single.size() < 2 || single.size() > 4)
      continue;
    llvm::SmallVector<MoveEntry> merged{{ActionKind::Group, TargetId(id.get()), std::nullopt, addTarget(all)}}, split;
    for (std::vector<CellId> &users : single)
      split.push_back({ActionKind::Group, TargetId(id.get()), std::nullopt, addTarget(std::move(users))});
    for (const NamedAxis &axis : axes) {
      add(MoveRole::Reshards, GroupKind::Parameter, axis, merged);
      add(MoveRole::Reshards, GroupKind::Parameter, axis, split);
    }
  }
}

/// A move that is symmetric to an applied one need not be applied.
void MoveBuilder::makeAlone(MoveId id) {
  if (MoveId first = table.symmetric[id]; first != id && !table.reaches[first].nodes.empty()) {
    keys[id] = keys[first];
    table.reaches[id] = table.reaches[first];
    return;
  }
  MoveRunner::Mark mark = runner.mark();
  runner.runAnew(id);
  keys[id] = table.moves[id].parts.size() == 1 ? runner.getPlainKey() : runner.getKey();
  table.reaches[id] = reachFinder.find(runner.getSplits(), table.moves[id].parts, base);
  runner.rollback(mark);
}

void MoveBuilder::findReaches() {
  table.reaches.resize(table.moves.size());
  keys.resize(table.moves.size());
  for (MoveId id : idRange<MoveId>(table.moves.size()))
    if (table.reaches[id].nodes.empty())
      makeAlone(id);
}

void MoveBuilder::findRepresentatives() {
  std::map<std::pair<std::string, uint64_t>, MoveId> first;
  for (MoveId id : idRange<MoveId>(table.moves.size())) {
    bool isMain = id.get() < table.numMain;
    table.representatives.push_back(isMain ? first.try_emplace({table.moves[id].axis, keys[id]}, id).first->second
                                           : id);
  }
}

MoveTable MoveBuilder::build() {
  findAxes();
  addTargets();
  addTiles();
  addWhatTilesMeet();
  addTogether();
  addGradients();
  table.numMain = static_cast<uint32_t>(table.moves.size());
  addFactors();
  addReshards();
  findReaches();
  findRepresentatives();
  return std::move(table);
}

MoveTable buildMoves(const ArgumentGroups &groups, Assignment &base, const IdVector<DimId, uint8_t> &steppedDims,
                     const ProposalOptions &options, MoveMemory *memory) {
  return MoveBuilder(groups, base, steppedDims, options, memory).build();
}

} // namespace partita::search
