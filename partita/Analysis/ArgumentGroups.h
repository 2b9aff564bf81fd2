//===- ArgumentGroups.h - arguments with the same role --------------------===//
//
// Arguments that stand at the same position in repeated layers are one group:
// what is decided for one is decided for all. Parameters, optimizer state and
// inputs are told apart by how the program uses them; groups of optimizer state
// know the group of parameters they belong to. Groups of inner cells are places
// where a tile can say something that no argument says: the residual stream.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_ARGUMENTGROUPS_H
#define PARTITA_ANALYSIS_ARGUMENTGROUPS_H

#include "partita/Analysis/Folding.h"
#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"
#include "partita/Schedule/CellNames.h"

namespace partita::analysis {

using GroupId = Id<struct GroupTag>;

enum class GroupKind : uint8_t {
  /// An argument that is neither of the following: tokens, a mask, a learning rate.
  Input,
  /// Used by the forward pass and, in training, tied to a result that is computed outside of it. In inference, where
  /// nothing is trained, floats that repeat layer by layer, are the right-hand side of a contraction or a table.
  Parameter,
  /// Tied to a result, not used by the forward pass.
  OptimizerState,
  /// Tied to a result that the forward pass computes: a KV cache, statistics of a norm.
  State,
  /// An op's result, a tile point inside the program.
  Inner,
};

/// `input`, `parameter`, `optimizer_state`, `state`, `inner`.
llvm::StringRef getWord(GroupKind kind);

struct ArgumentGroup {
  GroupKind kind = GroupKind::Input;
  /// All of one shape and element type, in the order of the program.
  std::vector<CellId> members;
  /// Of optimizer state of the same shape: the group of the parameters that it belongs to; else invalid.
  GroupId parameter;
  /// Of the whole tensors of all members.
  int64_t bytes = 0;
};

struct ArgumentGroups {
  /// Groups of arguments in the order of their first member, then those of inner cells.
  IdVector<GroupId, ArgumentGroup> list;
  /// Invalid for cells in no group.
  IdVector<CellId, GroupId> ofCell;
};

/// Of the whole program.
ArgumentGroups findArgumentGroups(const Topology &topology, const Repetition &repetition);

/// The same groups, their members on the folded program. Groups keep their ids; bytes stay those of the whole.
ArgumentGroups foldGroups(const ArgumentGroups &groups, const Folding &folding);

/// A pattern (POSIX extended) that matches `members` and no other cell: `params\['layers'\]\[[0-9]+\]\['wq'\]`; where
/// there is none so short, an alternation. Members are of the program of `names`, and not empty.
std::string buildGroupPattern(const CellNames &names, const Graph &graph, llvm::ArrayRef<CellId> members);
/// For one group; names are indexed for this question alone.
std::string buildGroupPattern(const Graph &graph, const ArgumentGroup &group);

} // namespace partita::analysis

#endif
