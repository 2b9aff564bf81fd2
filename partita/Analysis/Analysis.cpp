//===- Analysis.cpp - what is known of a program before it is split -------===//

#include "partita/Analysis/Analysis.h"

#include "partita/Propagate/SteppedDims.h"

namespace partita::analysis {

/// Makes each argument a group, with its share of the group's bytes; groups of inner cells stay.
static ArgumentGroups splitGroups(const ArgumentGroups &found) {
  ArgumentGroups groups;
  groups.ofCell.resize(found.ofCell.size());
  IdVector<GroupId, std::vector<GroupId>> parts(found.list.size());
  for (GroupId id : idRange<GroupId>(found.list.size())) {
    const ArgumentGroup &group = found.list[id];
    bool isWhole = group.kind == GroupKind::Inner;
    for (CellId cell : llvm::ArrayRef(group.members).take_front(isWhole ? 1 : group.members.size())) {
      ArgumentGroup part = group;
      if (!isWhole) {
        part.members = {cell};
        part.bytes = group.bytes / int64_t(group.members.size());
      }
      for (CellId member : part.members)
        groups.ofCell[member] = GroupId(static_cast<uint32_t>(groups.list.size()));
      parts[id].push_back(groups.list.push_back(std::move(part)));
    }
  }
  // Members of optimizer state and of parameters are in the same order.
  for (GroupId id : idRange<GroupId>(found.list.size()))
    for (size_t i = 0; i < parts[id].size(); ++i) {
      GroupId &parameter = groups.list[parts[id][i]].parameter;
      if (parameter.isValid())
        parameter = i < parts[parameter].size() ? parts[parameter][i] : GroupId();
    }
  return groups;
}

/// If nothing was folded, members of a group only look alike, as the matrices of a gate in a loop over layers do, and
/// may be split differently.
FoldedProgram::FoldedProgram(const Topology &whole, const ArgumentGroups &found, const Folding &folding)
    : folding(folding), topology(folding.graph), liveTimes(topology, folding, whole),
      steppedDims(findSteppedDims(topology)), wholeGroups(folding.isFolded() ? found : splitGroups(found)),
      groups(folding.isFolded() ? foldGroups(wholeGroups, folding) : wholeGroups) {}

Analysis::Analysis(const Graph &graph)
    : topology(graph), repetition(findRepetition(topology)), groups(findArgumentGroups(topology, repetition)) {}

const Colors &Analysis::getColors() const {
  if (!colors)
    colors = findColors(topology, repetition, groups);
  return *colors;
}

const Folding &Analysis::getFolding() const {
  if (!folding)
    folding = buildFolding(topology, repetition, FoldMargin::Two);
  return *folding;
}

const FoldedProgram &Analysis::getFolded() const {
  return folded ? *folded : folded.emplace(topology, groups, getFolding());
}

const FoldedProgram &Analysis::getUnfolded() const {
  if (!plain)
    plain = buildPlainFolding(getGraph());
  return unfolded ? *unfolded : unfolded.emplace(topology, groups, *plain);
}

} // namespace partita::analysis
