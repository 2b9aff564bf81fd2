//===- MemoryCurve.cpp - memory over the time of a step -------------------===//

#include "partita/Report/MemoryCurve.h"

#include <map>

namespace partita::report {

namespace {

/// Where an op begins, if that is known.
using OpStarts = IdVector<OpId, std::optional<int64_t>>;

} // namespace

/// Gives ops that take no time the start of the next one in their region, or of the last one.
static void fillStarts(const Graph &graph, OpStarts &starts) {
  std::map<RegionId, int64_t> near;
  auto fill = [&](OpId op) {
    RegionId region = graph.ops[op].region;
    if (starts[op])
      near[region] = *starts[op];
    else if (auto found = near.find(region); found != near.end())
      starts[op] = found->second;
  };
  for (uint32_t number = starts.size(); number-- > 0;)
    fill(OpId(number));
  near.clear();
  for (OpId op : idRange<OpId>(starts.size()))
    fill(op);
}

/// The most bytes alive in each region, with those inside.
static std::map<RegionId, int64_t> computeHighest(const Graph &graph, llvm::ArrayRef<int64_t> liveBytes) {
  std::map<RegionId, int64_t> highest;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    for (RegionId region = graph.ops[op].region; region.isValid(); region = graph.regions[region].parent) {
      int64_t &most = highest[region];
      most = std::max(most, liveBytes[op.get()]);
    }
  return highest;
}

/// By time; of several points at one time the highest.
static std::vector<MemoryPoint> sortPoints(std::vector<MemoryPoint> points) {
  llvm::sort(points, [](const MemoryPoint &a, const MemoryPoint &b) { return a.timePs < b.timePs; });
  std::vector<MemoryPoint> sorted;
  for (const MemoryPoint &point : points) {
    if (!sorted.empty() && sorted.back().timePs == point.timePs)
      sorted.back().bytes = std::max(sorted.back().bytes, point.bytes);
    else
      sorted.push_back(point);
  }
  return sorted;
}

std::vector<MemoryPoint> buildMemoryCurve(const Graph &graph, const Timeline &timeline,
                                          llvm::ArrayRef<int64_t> liveBytes) {
  OpStarts starts(graph.ops.size());
  std::vector<MemoryPoint> points;
  std::map<RegionId, int64_t> highest = computeHighest(graph, liveBytes);
  for (const TimelineEvent &event : timeline.events) {
    if (event.op.isValid() && !starts[event.op])
      starts[event.op] = event.startPs;
    else if (event.op.isValid())
      points.push_back({event.startPs, liveBytes[event.op.get()]});
    else if (event.iterations > 0)
      points.push_back({event.startPs, highest[event.loop]});
  }
  fillStarts(graph, starts);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (starts[op])
      points.push_back({*starts[op], liveBytes[op.get()]});
  std::vector<MemoryPoint> curve = sortPoints(std::move(points));
  if (!curve.empty() && curve.back().timePs < timeline.totalPs)
    curve.push_back({timeline.totalPs, curve.back().bytes});
  return curve;
}

std::vector<MemoryPoint> thinMemoryCurve(llvm::ArrayRef<MemoryPoint> curve, size_t maxPoints) {
  if (curve.size() <= maxPoints)
    return curve.vec();
  int64_t widthPs = curve.back().timePs / static_cast<int64_t>(maxPoints) + 1;
  std::vector<MemoryPoint> thin;
  int64_t bucket = -1;
  for (const MemoryPoint &point : curve) {
    if (int64_t own = point.timePs / widthPs; own != bucket) {
      bucket = own;
      thin.push_back(point);
    } else if (point.bytes > thin.back().bytes) {
      thin.back() = point;
    }
  }
  return thin;
}

} // namespace partita::report
