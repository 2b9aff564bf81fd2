//===- ArgumentGroups.h - arguments with the same role --------------------===//
//
// Arguments with the same position in repeated layers are one group: the search
// decides for all of them together. How the program uses an argument tells
// whether it is a parameter, optimizer state or input; a group of optimizer state
// refers to its group of parameters. Groups of inner cells are further points to
// tile, where no tile of an argument has the same effect: the residual stream.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_ARGUMENTGROUPS_H
#define PARTITA_ANALYSIS_ARGUMENTGROUPS_H

#include "partita/Analysis/Folding.h"
#include "partita/Analysis/Repetition.h"
#include "partita/Analysis/Rooms.h"
#include "partita/Schedule/ArgumentKinds.h"
#include "partita/Schedule/CellNames.h"

namespace partita::analysis {

using GroupId = Id<struct GroupTag>;

struct ArgumentGroup {
  GroupKind kind = GroupKind::Input;
  /// All have one shape and element type; in program order.
  std::vector<CellId> members;
  /// For optimizer state: its group of parameters, if that has the same shape; otherwise invalid.
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

/// The groups of the whole program.
ArgumentGroups findArgumentGroups(const Topology &topology, const Repetition &repetition);

/// The same groups with the members of the folded program. Groups keep their ids, and the bytes of the whole program.
ArgumentGroups foldGroups(const ArgumentGroups &groups, const Folding &folding);

/// A pattern (POSIX extended) that matches `members` and no other cell: `params\['layers'\]\[[0-9]+\]\['wq'\]`, or an
/// alternation if there is no such pattern. Members belong to the program of `names`; there is at least one.
std::string buildGroupPattern(const CellNames &names, const Graph &graph, llvm::ArrayRef<CellId> members);
/// The same for one group. Builds an index of names for this call only.
std::string buildGroupPattern(const Graph &graph, const ArgumentGroup &group);

} // namespace partita::analysis

#endif
