//===- Move.h - one tactic that a search may choose -----------------------===//
//
// A move is a small tactic on one axis: what it keeps whole, cuts and chooses,
// and what it tiles. A found list of moves is therefore a schedule, tactic by
// tactic, and does on the whole program what it did in the search.
//
//   tile       an argument group, or a group of inner cells, along a dim
//   together   groups with a role in common: all optimizer state, all parameters,
//              along the first dim that divides
//   atomic     parameters stay whole while their optimizer state is tiled (ZeRO-2)
//   side       a tile, and the side of the conflict that it meets
//   gradients  where loops keep gradients, cut at what computes them and at the
//              parameters, so that each iteration scatters its part
//   cut        a tile that does not pass certain links: reshapes on its way, where
//              another tile of the same axis may take over
//   assign     one op's factor, without spreading; of ops that layers have in
//              common, all of them
//   group      uses of a value share one reshard of it, or each has its own
//
// The last two are local moves: they affect single ops or uses, so refinement
// tries them, and the tree when it has tried everything else.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVE_H
#define PARTITA_SEARCH_MOVE_H

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Propagate/Axes.h"
#include "partita/Propagate/Topology.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

namespace partita::search {

using TargetId = Id<struct TargetTag>;

/// Cells that something is done to, one after the other.
struct Target {
  GroupKind kind = GroupKind::Input;
  std::vector<CellId> members;
  /// The argument group that it is; invalid for links and sides of conflicts.
  GroupId group;
};

struct MoveEntry {
  ActionKind kind = ActionKind::Tile;
  TargetId target;
  /// Of tiles and sides, none for the first one that divides; of `assign` the factor.
  std::optional<uint32_t> dim;
  /// Of groups: results of the ops that use the target.
  TargetId users = TargetId();
  bool operator==(const MoveEntry &) const = default;
};

/// What kind of a choice a move is; seeds ask for it.
enum class MoveRole : uint8_t {
  /// One group along one dim.
  Tile,
  /// All parameters but small ones, or all optimizer state, or the latter with the parameters kept whole.
  AllParameters,
  AllOptimizerState,
  OptimizerStateAlone,
  /// All parameters, small ones too.
  EveryParameter,
  /// Optimizer state of one group of parameters, with those kept whole.
  GroupOptimizerState,
  /// What loops keep of the gradients of all parameters but small ones.
  AllGradients,
  Side,
  Cut,
  /// One op's factor.
  Factor,
  /// Reshards that uses share, or do not.
  Reshards,
};

/// Whether moves of that role are about many groups.
inline bool isOfMany(MoveRole role) {
  return role == MoveRole::AllParameters || role == MoveRole::EveryParameter || role == MoveRole::AllOptimizerState ||
         role == MoveRole::OptimizerStateAlone || role == MoveRole::AllGradients;
}

struct Move {
  MoveRole role = MoveRole::Tile;
  /// The group that it tiles; of moves over many groups, their kind.
  GroupKind kind = GroupKind::Input;
  /// What it is about: the group, or of optimizer state its parameters; invalid for moves over many groups.
  TargetId subject;
  std::string axis;
  /// What the axis was refined into.
  llvm::SmallVector<AxisId, 2> parts;
  /// Sorted by kind.
  llvm::SmallVector<MoveEntry, 2> entries;
};

/// What a move splits when it is made alone: which way it points, before anything is priced.
struct MoveReach {
  /// A bit for each node (Topology.h).
  std::vector<uint64_t> nodes;
  /// The contractions among them, in ascending order.
  std::vector<NodeId> products;
  /// Of each of those, the factor that the first part of the axis splits.
  std::vector<uint8_t> productFactors;
  /// Multiplications and additions of what it splits, as often as it runs.
  double flops = 0;
  /// Whether it splits parameters, small ones aside; a table that is looked up in among them; the sum that branches
  /// come back to.
  bool splitsParameters = false, splitsTable = false, splitsResidual = false;
  /// Whether what it tiles is such a sum.
  bool startsAtResidual = false;

  bool has(NodeId node) const {
    size_t word = node.get() / 64;
    return word < nodes.size() && (nodes[word] >> (node.get() % 64) & 1) != 0;
  }
};

struct MoveTable {
  IdVector<TargetId, Target> targets;
  IdVector<MoveId, Move> moves;
  /// Of each move.
  IdVector<MoveId, MoveReach> reaches;
  /// Axis symmetry: of each move the first that says the same of an axis that divides the same sizes. Itself if
  /// something is decided on either before the search.
  IdVector<MoveId, MoveId> kin;
  /// Of each move the first that does the same when both are made alone; of local moves, themselves.
  IdVector<MoveId, MoveId> likes;
  /// Moves from here on are local.
  uint32_t numMain = 0;
};

} // namespace partita::search

#endif
