//===- Move.h - a small tactic that a search may choose -------------------===//
//
// A move is a small tactic on one axis: values to keep whole, cut or choose,
// and values to tile. So a list of moves is a schedule, one tactic for each
// move, and has the same effect on the whole program as in the search.
//
//   tile       an argument group, or a group of inner cells, along a dim
//   together   groups with a role in common: all optimizer state, all parameters,
//              along the first dim that divides
//   atomic     parameters stay whole while their optimizer state is tiled (ZeRO-2)
//   side       a tile, and the side of the conflict that it meets
//   by size    inputs along the dim that they share; all other arguments along the
//              first dim that divides, or along the largest (SizeRoles.h)
//   gradients  where loops keep gradients, cut at what computes them and at the
//              parameters, so that each iteration scatters its part
//   cut        a tile that does not pass certain links: reshapes on its way, where
//              another tile of the same axis may take over
//   assign     one op's factor, without spreading; of ops that layers have in
//              common, all of them
//   group      uses of a value share one reshard of it, or each has its own
//
// The last two are local moves: they affect single ops or uses. Refinement
// tries them, and tree search after all other moves.
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

/// The cells that an entry applies to, in order.
struct Target {
  GroupKind kind = GroupKind::Input;
  std::vector<CellId> members;
  /// The argument group, if the target is one; invalid for links and sides of conflicts.
  GroupId group;
};

struct MoveEntry {
  ActionKind kind = ActionKind::Tile;
  TargetId target;
  /// For tiles and sides the dim, nullopt for the first one that divides; for `assign` the factor.
  std::optional<uint32_t> dim;
  /// For `group`: results of the ops that use the target.
  TargetId users = TargetId();
  bool operator==(const MoveEntry &) const = default;
};

/// The kind of a move; seeds select moves by it.
enum class MoveRole : uint8_t {
  /// One group along one dim.
  Tile,
  /// All parameters except small ones; all optimizer state; the latter with the parameters kept whole.
  AllParameters,
  AllOptimizerState,
  OptimizerStateAlone,
  /// All parameters, including small ones.
  EveryParameter,
  /// The optimizer state of one group of parameters, with these kept whole.
  GroupOptimizerState,
  /// The gradients that loops keep, of all parameters except small ones.
  AllGradients,
  /// By sizes alone (SizeRoles.h): inputs along the dim that they share, and along the next one; all other arguments,
  /// and along their largest dims; those that no product takes, also with the others kept whole.
  SharedDim,
  NextDim,
  Others,
  OthersLargestDim,
  OtherState,
  OtherStateAlone,
  Side,
  Cut,
  /// One op's factor.
  Factor,
  /// Whether uses share a reshard.
  Reshards,
};

/// Whether moves of that role apply to many groups.
bool isOfMany(MoveRole role);
/// Whether no role of arguments is needed for it (ProposalsBySize.cpp).
bool isBySize(MoveRole role);

struct Move;
/// What a move is about, for names of tactics and for people: `all parameters`, `inputs`.
llvm::StringRef getTopic(const Move &move);

struct Move {
  MoveRole role = MoveRole::Tile;
  /// The kind of the group or groups that it tiles.
  GroupKind kind = GroupKind::Input;
  /// The group that it applies to; for optimizer state, its parameters; invalid for moves over many groups.
  TargetId subject;
  std::string axis;
  /// The sub-axes of `axis`.
  llvm::SmallVector<AxisId, 2> parts;
  /// Sorted by kind.
  llvm::SmallVector<MoveEntry, 2> entries;
};

/// What a move splits when it is applied alone. A cheap description, before anything is priced.
struct MoveReach {
  /// A bit for each node (Topology.h).
  std::vector<uint64_t> nodes;
  /// The contractions among them, in ascending order.
  std::vector<NodeId> products;
  /// For each of those, the factor that the first sub-axis splits.
  std::vector<uint8_t> productFactors;
  /// The flops of the ops that it splits, over all executions.
  double flops = 0;
  /// Whether it splits parameters, other than small ones; a lookup table among them; the residual sum (Residuals.h).
  bool splitsParameters = false, splitsTable = false, splitsResidual = false;
  /// Whether it tiles a residual sum.
  bool startsAtResidual = false;

  bool has(NodeId node) const {
    size_t word = node.get() / 64;
    return word < nodes.size() && (nodes[word] >> (node.get() % 64) & 1) != 0;
  }
};

struct MoveTable {
  IdVector<TargetId, Target> targets;
  IdVector<MoveId, Move> moves;
  /// One for each move.
  IdVector<MoveId, MoveReach> reaches;
  /// Axis symmetry: for each move, the first that does the same on an axis that divides the same sizes. The move itself
  /// if something is decided on either axis before the search.
  IdVector<MoveId, MoveId> symmetric;
  /// For each move, the first that leads to the same state when both are applied alone; local moves represent
  /// themselves.
  IdVector<MoveId, MoveId> representatives;
  /// Moves from here on are local.
  uint32_t numMain = 0;
};

} // namespace partita::search

#endif
