//===- LiveTimes.cpp - when a value is alive ------------------------------===//

#include "partita/Analysis/LiveTimes.h"

namespace partita {

LiveTimes::LiveTimes(const Topology &topology) : graph(&topology.getGraph()), numPoints(graph->ops.size()) {
  lastOps.resize(graph->regions.size());
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (RegionId region = graph->ops[op].region; region.isValid(); region = graph->regions[region].parent)
      lastOps[region] = op;
}

/// The point at which a value that came into being at `from` dies, if it is last used at `to`: of the outermost loop
/// that holds `to` and not `from`, the last one.
uint32_t LiveTimes::findEnd(OpId from, OpId to) const {
  uint32_t end = to.get();
  RegionId home = from.isValid() ? graph->ops[from].region : RegionId(0);
  for (RegionId region = graph->ops[to].region; region.isValid() && region != home;
       region = graph->regions[region].parent)
    if (graph->regions[region].kind == RegionKind::LoopBody || graph->regions[region].kind == RegionKind::LoopCondition)
      end = std::max(end, lastOps[region].get());
  return end;
}

LiveRanges LiveTimes::getRanges(OpId from, OpId to, LastUse lastUse) const {
  if (numPoints == 0)
    return {};
  uint32_t first = from.isValid() ? from.get() : 0;
  if (!to.isValid())
    return {{first, static_cast<uint32_t>(numPoints - 1), 1}};
  uint32_t last = findEnd(from, to);
  if (lastUse == LastUse::GivesBuffer && last == to.get()) {
    if (last == 0 || last <= first)
      return {};
    --last;
  }
  return {{first, std::max(first, last), 1}};
}

LiveRanges LiveTimes::getCarriedRanges(OpId from, RegionId body, OpId to, LastUse lastUse) const {
  OpId end = lastOps[body];
  if (!to.isValid() || (end.isValid() && !isLater(to, end)))
    return end.isValid() ? getRanges(from, end) : getRanges(from, from);
  return getRanges(from, to, lastUse);
}

} // namespace partita
