//===- ProposalsBySize.cpp - moves for which no role is needed ------------===//

#include "partita/Search/MoveBuilder.h"
#include "partita/Search/SizeRoles.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

bool isBySize(MoveRole role) {
  switch (role) {
  case MoveRole::SharedDim:
  case MoveRole::NextDim:
  case MoveRole::Others:
  case MoveRole::OthersLargestDim:
  case MoveRole::OtherState:
  case MoveRole::OtherStateAlone:
    return true;
  default:
    return false;
  }
}

/// The largest dim that the axis divides and no loop steps through, the first of equals.
std::optional<uint32_t> MoveBuilder::findLargestDim(GroupId group, const NamedAxis &axis) const {
  CellId cell = groups.list[group].members.front();
  llvm::ArrayRef<int64_t> shape = graph.getShape(cell);
  std::optional<uint32_t> largest;
  for (uint32_t dim = 0; dim < shape.size(); ++dim)
    if (!steppedDims[topology.getDim(cell, dim)] && isDivisible(group, dim, axis) &&
        (!largest || shape[dim] > shape[*largest]))
      largest = dim;
  return largest;
}

void MoveBuilder::addBySize() {
  SizeRoles roles = findSizeRoles(topology, groups, steppedDims);
  for (const NamedAxis &axis : axes) {
    auto addAlong = [&](MoveRole role, llvm::ArrayRef<GroupDim> dims) {
      llvm::SmallVector<MoveEntry> entries;
      for (const GroupDim &entry : dims)
        if (isDivisible(entry.group, entry.dim, axis))
          entries.push_back(tile(entry.group, entry.dim));
      if (!entries.empty())
        add(role, GroupKind::Input, axis, entries);
    };
    llvm::SmallVector<MoveEntry> others, largest, state, stateAlone;
    for (GroupId group : roles.others) {
      others.push_back(tile(group, std::nullopt));
      if (std::optional<uint32_t> dim = findLargestDim(group, axis))
        largest.push_back(tile(group, dim));
      if (llvm::is_contained(roles.state, group))
        state.push_back(tile(group, std::nullopt));
      else
        stateAlone.push_back({ActionKind::Atomic, TargetId(group.get()), std::nullopt});
    }
    addAlong(MoveRole::SharedDim, roles.shared);
    addAlong(MoveRole::NextDim, roles.next);
    if (!others.empty())
      add(MoveRole::Others, GroupKind::Parameter, axis, others);
    if (!largest.empty())
      add(MoveRole::OthersLargestDim, GroupKind::Parameter, axis, largest);
    if (state.empty())
      continue;
    add(MoveRole::OtherState, GroupKind::OptimizerState, axis, state);
    stateAlone.append(state);
    add(MoveRole::OtherStateAlone, GroupKind::OptimizerState, axis, stateAlone);
  }
}

} // namespace partita::search
