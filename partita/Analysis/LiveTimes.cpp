//===- LiveTimes.cpp - when values are alive ------------------------------===//

#include "partita/Analysis/LiveTimes.h"

#include <algorithm>

namespace partita::analysis {

LiveTimes::LiveTimes(const Topology &topology)
    : graph(&topology.getGraph()), wholeGraph(graph), numPoints(graph->ops.size()) {
  lastOps.resize(graph->regions.size());
  for (OpId op : idRange<OpId>(graph->ops.size()))
    for (RegionId region = graph->ops[op].region; region.isValid(); region = graph->regions[region].parent)
      lastOps[region] = op;
}

LiveTimes::LiveTimes(const Topology &topology, const Folding &given, const Topology &whole) : LiveTimes(topology) {
  if (!given.isFolded())
    return;
  folding = &given;
  wholeGraph = &whole.getGraph();
  addPoints();
  addFoldedPoints();
  addRuns();
}

void LiveTimes::setWindows(llvm::ArrayRef<OpWindow> given) {
  windows = IdVector<OpId, OpWindow>();
  for (const OpWindow &window : given)
    windows.push_back(window);
  if (!folding)
    return;
  addFoldedPoints();
  addRuns();
}

LiveTimes::OpPoints LiveTimes::getPoints(OpId op) const {
  OpWindow window = windows.empty() ? OpWindow{op, op, op} : windows[op];
  return {pointsBefore[op.get()], pointsBefore[op.get() + 1], pointsBefore[window.issue.get()],
          pointsBefore[window.done.get() + 1], pointsBefore[window.latest.get() + 1]};
}

void LiveTimes::addPoints() {
  std::vector<uint8_t> isPoint(wholeGraph->ops.size(), 0);
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

void LiveTimes::addFoldedPoints() {
  foldedPoints = IdVector<OpId, FoldedPoints>();
  foldedPoints.reserve(graph->ops.size());
  for (OpId op : idRange<OpId>(graph->ops.size())) {
    auto [first, last] = std::minmax_element(folding->opMembers[op].begin(), folding->opMembers[op].end());
    foldedPoints.push_back({getPoints(folding->opOrigins[op]), getPoints(*first), getPoints(*last)});
  }
}

void LiveTimes::addRuns() {
  constexpr uint32_t none = UINT32_MAX;
  runs.clear();
  runOfChainOp.assign(folding->chainOps.size(), none);
  for (OpId op : idRange<OpId>(graph->ops.size())) {
    const FoldedChain &chain = folding->opChains[op];
    if (!folding->opPositions[op].isValid() || runOfChainOp[chain.begin] != none)
      continue;
    for (uint32_t i = 0; i < chain.size; ++i) {
      OpPoints points = getPoints(folding->chainOps[chain.begin + i]);
      if (i == 0 || runs.back().points != points)
        runs.push_back({points, 0});
      runs.back().end = static_cast<int32_t>(i + 1);
      runOfChainOp[chain.begin + i] = static_cast<uint32_t>(runs.size() - 1);
    }
  }
}

/// The op at which a value dies that is created at `from` and last used at `to`: the last op of the outermost loop that
/// contains `to` and not `from`; `to` if there is none.
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

/// Whether a value is needed for as long as the op that uses it last may run later.
static bool isDelayed(OpId from, OpId end, LastUse lastUse) {
  return end.isValid() && end != from && lastUse != LastUse::Here && !givesBuffer(lastUse);
}

bool LiveTimes::isRecurrence(OpId op, OpId user) const {
  if (!folding || !folding->opPositions[op].isValid() || !folding->opPositions[user].isValid())
    return false;
  return folding->opChains[op].begin == folding->opChains[user].begin;
}

LiveTimes::CopyPoints LiveTimes::getCopyPoints(const CopyOps &ops, OpId op, uint32_t copy,
                                               const OpPoints &ofMembers) const {
  if (ops.kind == CopyOps::Kind::Members)
    return {ofMembers};
  const OpPoints &origin = foldedPoints[op].origin;
  if (ops.kind == CopyOps::Kind::Origin)
    return {origin};
  const FoldedChain &chain = folding->opChains[op];
  int32_t index = ops.offset + static_cast<int32_t>(copy);
  if (index < 0)
    return {origin, static_cast<uint32_t>(-ops.offset)};
  if (index >= static_cast<int32_t>(chain.size))
    return {origin};
  const Run &run = runs[runOfChainOp[chain.begin + static_cast<uint32_t>(index)]];
  return {run.points, static_cast<uint32_t>(run.end - ops.offset)};
}

/// Counts copies that are alive at the same points together, one run at a time.
LiveRanges LiveTimes::getFoldedRanges(CellId cell, OpId from, OpId end, LastUse lastUse, WindowPart part) const {
  LiveRanges ranges;
  uint32_t numCopies = folding->getNumCopies(cell);
  CopyOps fromOps = from.isValid() ? folding->getCopyOps(cell, from) : CopyOps();
  CopyOps endOps = end.isValid() && !isForAll(lastUse) ? folding->getCopyOps(cell, end) : CopyOps();
  for (uint32_t copy = 0, next; copy < numCopies; copy = next) {
    CopyPoints first{getPoints(OpId(0))}, last{{static_cast<uint32_t>(numPoints), static_cast<uint32_t>(numPoints)}};
    if (from.isValid())
      first = getCopyPoints(fromOps, from, copy, foldedPoints[from].first);
    if (end.isValid())
      last = getCopyPoints(endOps, end, copy, foldedPoints[end].last);
    next = std::min({numCopies, first.end, last.end});
    // A value is alive at its definition, even if that is behind all uses, unless it gives its buffer away.
    uint32_t lastBehind = isDelayed(from, end, lastUse) ? last.points.late : last.points.behind;
    uint32_t pointBehind = givesBuffer(lastUse) ? last.points.before : std::max(first.points.behind, lastBehind);
    uint32_t begin = part == WindowPart::Before ? first.points.issue : first.points.before;
    if (part == WindowPart::Behind)
      pointBehind = std::max(pointBehind, first.points.done);
    if (pointBehind <= begin)
      continue;
    LiveRange range{begin, pointBehind - 1, static_cast<int32_t>(next - copy)};
    auto isSame = [&](const LiveRange &other) { return other.first == range.first && other.last == range.last; };
    if (auto *found = llvm::find_if(ranges, isSame); found != ranges.end())
      found->count += range.count;
    else
      ranges.push_back(range);
  }
  return ranges;
}

LiveRanges LiveTimes::getRanges(CellId cell, OpId from, OpId to, LastUse lastUse, WindowPart part) const {
  if (numPoints == 0)
    return {};
  OpId end = to.isValid() ? findEnd(from, to) : OpId();
  if (end != to || !to.isValid())
    lastUse = isForAll(lastUse) ? LastUse::KeepsForAll : LastUse::Keeps;
  if (folding)
    return getFoldedRanges(cell, from, end, lastUse, part);
  uint32_t first = from.isValid() ? from.get() : 0;
  uint32_t last = end.isValid() ? end.get() : static_cast<uint32_t>(numPoints - 1);
  if (!windows.empty() && isDelayed(from, end, lastUse))
    last = windows[end].latest.get();
  if (from.isValid() && !windows.empty() && part == WindowPart::Before)
    first = windows[from].issue.get();
  uint32_t pointBehind = givesBuffer(lastUse) ? last : std::max(first, last) + 1;
  if (from.isValid() && !windows.empty() && part == WindowPart::Behind)
    pointBehind = std::max(pointBehind, windows[from].done.get() + 1);
  if (pointBehind <= first)
    return {};
  return {{first, pointBehind - 1, 1}};
}

void LiveTimes::addOccurrence(const OpPoints &points, int32_t count, Occurrences &list) {
  bool isElided = points.before == points.behind;
  for (Occurrence &known : list)
    if (known.point == points.before && known.isElided == isElided) {
      known.count += count;
      return;
    }
  list.push_back({points.before, count, isElided});
}

RegionId LiveTimes::getOuterRegion(OpId wholeOp, uint32_t depth) const {
  RegionId region = wholeGraph->ops[wholeOp].region;
  for (; depth > 0 && region.isValid(); --depth)
    region = wholeGraph->regions[region].parent;
  return region;
}

Occurrences LiveTimes::listOccurrences(OpId op, uint32_t depth) const {
  if (!folding)
    return {{op.get(), 1, false}};
  Occurrences list;
  RegionId home = getOuterRegion(folding->opOrigins[op], depth);
  for (OpId member : folding->opMembers[op])
    if (getOuterRegion(member, depth) == home)
      addOccurrence(getPoints(member), 1, list);
  return list;
}

Occurrences LiveTimes::listOccurrences(CellId cell, OpId op) const {
  if (!folding)
    return {{op.get(), 1, false}};
  RegionId home = getOuterRegion(folding->opOrigins[op], 0);
  if (llvm::any_of(folding->opMembers[op], [&](OpId member) { return getOuterRegion(member, 0) != home; }))
    return {{foldedPoints[op].origin.before, 1, false}};
  Occurrences list;
  CopyOps ops = folding->getCopyOps(cell, op);
  uint32_t numCopies = folding->getNumCopies(cell);
  for (uint32_t copy = 0, next; copy < numCopies; copy = next) {
    CopyPoints points = getCopyPoints(ops, op, copy, foldedPoints[op].first);
    next = std::min(numCopies, points.end);
    addOccurrence(points.points, static_cast<int32_t>(next - copy), list);
  }
  return list;
}

LiveRanges LiveTimes::getCarriedRanges(CellId cell, OpId from, RegionId body, OpId to, LastUse lastUse,
                                       WindowPart part) const {
  OpId end = lastOps[body];
  if (!to.isValid() || (end.isValid() && !isLater(to, end)))
    return getRanges(cell, from, end.isValid() ? end : from, LastUse::Keeps, part);
  return getRanges(cell, from, to, lastUse, part);
}

} // namespace partita::analysis
