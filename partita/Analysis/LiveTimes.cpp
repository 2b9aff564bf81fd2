//===- LiveTimes.cpp - when a value is alive ------------------------------===//

#include "partita/Analysis/LiveTimes.h"

#include <algorithm>

namespace partita {

LiveTimes::LiveTimes(const Topology &topology) : graph(&topology.getGraph()), numPoints(graph->ops.size()) {
  lastOps.resize(graph->regions.size());
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (RegionId region = graph->ops[op].region; region.isValid(); region = graph->regions[region].parent)
      lastOps[region] = op;
}

LiveTimes::LiveTimes(const Topology &topology, const Folding &given, const Topology &whole) : LiveTimes(topology) {
  if (!given.isFolded())
    return;
  folding = &given;
  std::vector<uint8_t> isPoint(whole.getGraph().ops.size(), 0);
  for (OpId op : idRange<OpId>(graph->ops.size())) {
    isPoint[folding->opOrigins[op].get()] = 1;
    auto [first, last] = std::minmax_element(folding->opMembers[op].begin(), folding->opMembers[op].end());
    isPoint[first->get()] = isPoint[last->get()] = 1;
  }
  numPoints = 0;
  pointsBefore.reserve(isPoint.size() + 1);
  for (uint8_t one : isPoint) {
    pointsBefore.push_back(static_cast<uint32_t>(numPoints));
    numPoints += one;
  }
  pointsBefore.push_back(static_cast<uint32_t>(numPoints));
}

/// The op at which a value that came into being at `from` dies, if it is last used at `to`: of the outermost loop that
/// holds `to` and not `from`, the last one.
OpId LiveTimes::findEnd(OpId from, OpId to) const {
  OpId end = to;
  RegionId home = from.isValid() ? graph->ops[from].region : RegionId(0);
  for (RegionId region = graph->ops[to].region; region.isValid() && region != home;
       region = graph->regions[region].parent)
    if (graph->regions[region].kind == RegionKind::LoopBody || graph->regions[region].kind == RegionKind::LoopCondition)
      end = std::max(end, lastOps[region]);
  return end;
}

static bool isForAll(LastUse lastUse) {
  return lastUse == LastUse::KeepsForAll || lastUse == LastUse::GivesBufferForAll;
}

static bool givesBuffer(LastUse lastUse) {
  return lastUse == LastUse::GivesBuffer || lastUse == LastUse::GivesBufferForAll;
}

bool LiveTimes::isRecurrence(OpId op, OpId user) const {
  if (!folding || !folding->opPositions[op].isValid() || !folding->opPositions[user].isValid())
    return false;
  return folding->opChains[op].begin == folding->opChains[user].begin;
}

/// Copy by copy; those that are alive at the same points are counted together.
LiveRanges LiveTimes::getFoldedRanges(CellId cell, OpId from, OpId end, LastUse lastUse) const {
  LiveRanges ranges;
  uint32_t numCopies = folding->getNumCopies(cell);
  for (uint32_t copy = 0; copy < numCopies; ++copy) {
    uint32_t first = from.isValid() ? folding->findFirstOp(cell, copy, from).get() : 0;
    uint32_t behind = static_cast<uint32_t>(pointsBefore.size() - 1);
    if (end.isValid()) {
      OpId last = isForAll(lastUse) ? folding->opOrigins[end] : folding->findLastOp(cell, copy, end);
      behind = std::max(first + 1, last.get() + 1);
    }
    if (givesBuffer(lastUse) && --behind <= first)
      continue;
    uint32_t firstPoint = pointsBefore[first], pointBehind = pointsBefore[behind];
    if (firstPoint == pointBehind)
      continue;
    LiveRange range{firstPoint, pointBehind - 1, 1};
    auto isSame = [&](const LiveRange &other) { return other.first == range.first && other.last == range.last; };
    if (auto *found = llvm::find_if(ranges, isSame); found != ranges.end())
      ++found->count;
    else
      ranges.push_back(range);
  }
  return ranges;
}

LiveRanges LiveTimes::getRanges(CellId cell, OpId from, OpId to, LastUse lastUse) const {
  if (numPoints == 0)
    return {};
  OpId end = to.isValid() ? findEnd(from, to) : OpId();
  if (end != to || !to.isValid())
    lastUse = isForAll(lastUse) ? LastUse::KeepsForAll : LastUse::Keeps;
  if (folding)
    return getFoldedRanges(cell, from, end, lastUse);
  uint32_t first = from.isValid() ? from.get() : 0;
  uint32_t last = end.isValid() ? end.get() : static_cast<uint32_t>(numPoints - 1);
  if (givesBuffer(lastUse)) {
    if (last == 0 || last <= first)
      return {};
    --last;
  }
  return {{first, std::max(first, last), 1}};
}

LiveRanges LiveTimes::getCarriedRanges(CellId cell, OpId from, RegionId body, OpId to, LastUse lastUse) const {
  OpId end = lastOps[body];
  if (!to.isValid() || (end.isValid() && !isLater(to, end)))
    return end.isValid() ? getRanges(cell, from, end) : getRanges(cell, from, from);
  return getRanges(cell, from, to, lastUse);
}

} // namespace partita
