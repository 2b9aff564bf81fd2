//===- PairwiseTrace.cpp - what the relaxed minimum uses ------------------===//

#include "partita/Search/Bound/PairwiseAscent.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita::search {

void PairwiseAscent::noteMemory(llvm::ArrayRef<BoundRange> ranges, double bytes) {
  if (bytes == 0)
    return;
  for (const BoundRange &range : ranges) {
    profile[range.first] += double(range.count) * bytes;
    profile[range.last + 1] -= double(range.count) * bytes;
  }
  for (size_t i = 0; i < points.size(); ++i)
    gradient->points[i] += double(countCopies(ranges, points[i].point)) * bytes;
}

void PairwiseAscent::noteEdge(const EdgeState &edge, size_t i, size_t j, double mass) {
  uint32_t f = edge.ends[0].shardings[i], g = edge.ends[1].shardings[j];
  if (f == ReshardTimes::anySharding || g == ReshardTimes::anySharding)
    return;
  const EdgeWeight &weight = edge.times->isPartial(f) ? edge.partial : edge.whole;
  int64_t timePs = edge.times->getTimes(f)[g];
  if (weight.isOverlapped && timePs != ReshardTimes::noWay) {
    double time = mass * double(timePs) * double(weight.mantissa) / double(EdgeWeight::unit);
    gradient->segments[findSegment(weight)] += time;
    for (size_t i = 0; i < cuts.size(); ++i)
      if (weight.countsAt(cuts[i].cut))
        gradient->cuts[i] += time;
  }
  int64_t bytes = std::min(getEndBytes(*edge.times, f, true), getEndBytes(*edge.times, g, false));
  noteMemory(edge.ranges, mass * double(bytes));
}

/// For each sharding of the earlier variable, finds the one from which the message to it came.
void PairwiseAscent::traceEdge(uint32_t own, uint32_t number, uint8_t end) {
  const EdgeState &edge = state.edges[number];
  const EdgeEnd &ownEnd = edge.ends[end], &other = edge.ends[1 - end];
  computeFrom(ownEnd);
  computeShardingWeights(edge);
  double share = double(state.variables[own].getShare());
  std::vector<double> mass(other.shardings.size(), 0);
  const VariableState &earlier = state.variables[other.variable];
  for (size_t label = 0; label < earlier.mass.size(); ++label)
    mass[other.ofLabel[label]] += earlier.mass[label];
  for (size_t otherSharding = 0; otherSharding < mass.size(); ++otherSharding) {
    if (mass[otherSharding] == 0)
      continue;
    size_t best = 0;
    double least = HUGE_VAL;
    for (size_t sharding = 0; sharding < from.size(); ++sharding) {
      size_t source = end == 0 ? sharding : otherSharding, target = end == 0 ? otherSharding : sharding;
      double cost = shardingWeights[source] * getTime(edge, source, target) +
                    double(std::min(ownEnd.getMemory(sharding), other.getMemory(otherSharding)));
      if (from[sharding] + cost < least) {
        least = from[sharding] + cost;
        best = sharding;
      }
    }
    work += int64_t(from.size());
    state.variables[own].mass[fromLabels[best]] += mass[otherSharding] / share;
    noteEdge(edge, end == 0 ? best : otherSharding, end == 0 ? otherSharding : best, mass[otherSharding]);
  }
}

/// Follows the sweep backwards, from the last variable to the first.
void PairwiseAscent::trace() {
  gradient.emplace();
  gradient->segments.assign(thetas.size(), 0);
  gradient->cuts.assign(cuts.size(), 0);
  gradient->points.assign(points.size(), -double(limitBytes));
  profile.assign(numPoints + 1, 0);
  for (uint32_t own = 0; own < state.variables.size(); ++own) {
    VariableState &variable = state.variables[own];
    collect(variable);
    variable.mass.assign(values.size(), 0);
    double share = double(variable.getShare());
    variable.mass[llvm::min_element(values) - values.begin()] = 1 - double(variable.numEarlier) / share;
    for (auto [number, end] : variable.edges)
      if (state.edges[number].ends[1 - end].variable < own)
        traceEdge(own, number, end);
    double cost = 0, bytes = 0;
    for (size_t label = 0; label < values.size(); ++label) {
      cost += variable.mass[label] * double(variable.costs[label]);
      if (!variable.bytes.empty())
        bytes += variable.mass[label] * double(variable.bytes[label]);
    }
    gradient->segments[variable.segment] -= cost * double(overlapPpm) / 1e6;
    for (uint32_t cut : variable.cuts)
      gradient->cuts[cut] -= cost;
    noteMemory(variable.ranges, bytes);
  }
}

} // namespace partita::search
