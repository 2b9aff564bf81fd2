//===- Proposals.cpp - builds the moves that a search may make ------------===//

#include "partita/Search/Proposals.h"

#include "partita/Analysis/Gradients.h"
#include "partita/Schedule/RandomKeys.h"
#include "partita/Search/MoveBuilder.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

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
  CellId cell = groups.list[group].members.front();
  if (isWordsOfKey(graph, cell, dim))
    return false;
  int64_t size = graph.getShape(cell)[dim];
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
  size_t numOfInputs = 0;
  for (GroupId group : order) {
    const ArgumentGroup &info = groups.list[group];
    // Tokens are among the smallest arguments, and their batch is what most strategies begin with.
    bool isInput = info.kind == GroupKind::Input;
    if ((isInput ? numOfInputs : table.moves.size()) >= options.maxTiles)
      continue;
    size_t before = table.moves.size();
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
    numOfInputs += isInput ? table.moves.size() - before : 0;
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
// Each move alone
//===----------------------------------------------------------------------===//

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
  // Only seeds begin with these: where roles are known, completions and sweeps find more with other moves.
  addBySize();
  addFactors();
  addSends();
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
