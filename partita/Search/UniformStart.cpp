//===- UniformStart.cpp - whether given tactics treat layers alike --------===//

#include "partita/Search/UniformStart.h"

#include "partita/Schedule/Tactics.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

namespace {

/// A program with the given tactics applied.
struct Started {
  Started(const Topology &topology, const Axes &axes, const Schedule &given)
      : topology(topology), names(topology.getGraph()), assignment(topology, axes),
        isApplied(bool(applySchedule(given, names, assignment, nullptr))) {}

  const Topology &topology;
  CellNames names;
  Assignment assignment;
  bool isApplied;
};

} // namespace

static bool isSplitAlike(const Assignment &a, OpId op, const Assignment &b, OpId other) {
  NodeId node = a.getTopology().getNode(op), otherNode = b.getTopology().getNode(other);
  for (AxisId axis : idRange<AxisId>(a.getAxes().size()))
    if (a.getFactor(node, axis) != b.getFactor(otherNode, axis))
      return false;
  return true;
}

static bool isSame(const Started &a, OpId op, const Started &b, OpId other) {
  if (!isSplitAlike(a.assignment, op, b.assignment, other))
    return false;
  // Group numbers are local to a program; only "no group" can be compared.
  const Op &info = a.topology.getGraph().ops[op], &otherInfo = b.topology.getGraph().ops[other];
  for (uint32_t number = 0; number < info.numUses; ++number)
    if (a.assignment.getUseGroup(UseId(info.firstUse + number)).number != 0 ||
        b.assignment.getUseGroup(UseId(otherInfo.firstUse + number)).number != 0)
      return false;
  return true;
}

static bool isSame(const Started &a, CellId cell, const Started &b, CellId other) {
  if (a.assignment.getCellSharding(cell) != b.assignment.getCellSharding(other))
    return false;
  CellId pinned = a.topology.getRepresentative(cell), otherPinned = b.topology.getRepresentative(other);
  for (AxisId axis : idRange<AxisId>(a.assignment.getAxes().size()))
    if (!(a.assignment.getPin(pinned, axis) == b.assignment.getPin(otherPinned, axis)))
      return false;
  for (uint32_t number = 0; number < a.topology.getGraph().cells[cell].rank; ++number) {
    DimId dim = a.topology.getDim(cell, number), otherDim = b.topology.getDim(other, number);
    if (a.assignment.isClosed(dim) != b.assignment.isClosed(otherDim))
      return false;
    for (AxisId axis : idRange<AxisId>(a.assignment.getAxes().size()))
      if (a.assignment.isChosen(dim, axis) != b.assignment.isChosen(otherDim, axis))
        return false;
  }
  return true;
}

bool isUniformStart(const Topology &whole, const Folding &folding, const Axes &axes, const Schedule &given) {
  Topology topology(folding.graph);
  Started one(whole, axes, given), other(topology, axes, given);
  if (!one.isApplied || !other.isApplied)
    return false;
  for (OpId op : idRange<OpId>(folding.graph.ops.size()))
    if (!llvm::all_of(folding.opMembers[op], [&](OpId member) { return isSame(other, op, one, member); }))
      return false;
  for (CellId cell : idRange<CellId>(folding.graph.cells.size()))
    if (!llvm::all_of(folding.members[cell], [&](CellId member) { return isSame(other, cell, one, member); }))
      return false;
  return true;
}

bool areLayersAlike(const Assignment &whole, const Assignment &folded, const Folding &folding) {
  for (OpId op : idRange<OpId>(folding.graph.ops.size()))
    if (!llvm::all_of(folding.opMembers[op], [&](OpId member) { return isSplitAlike(folded, op, whole, member); }))
      return false;
  return true;
}

} // namespace partita::search
