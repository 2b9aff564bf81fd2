//===- MoveBuilder.h - builds a table of moves ----------------------------===//
//
//   tiles, together, gradients; each move alone       Proposals.cpp
//   sides and cuts, for what tiles meet               ProposalsMet.cpp
//   by size: what no role is needed for               ProposalsBySize.cpp
//   local moves: single ops, shared reshards          ProposalsLocal.cpp
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVEBUILDER_H
#define PARTITA_SEARCH_MOVEBUILDER_H

#include "partita/Search/AxisSymmetry.h"
#include "partita/Search/Proposals.h"
#include "partita/Search/ReachFinder.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

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
  /// Moves that follow from sizes alone (SizeRoles.h).
  void addBySize();
  std::optional<uint32_t> findLargestDim(GroupId group, const NamedAxis &axis) const;
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
  void addFactors(OpId op, TargetId target);
  void addSends();
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

} // namespace partita::search

#endif
