//===- Microbatches.cpp - proposes numbers of microbatches ----------------===//

#include "partita/Variants/Microbatches.h"

#include "partita/Analysis/Gradients.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

//===----------------------------------------------------------------------===//
// Programs that accumulate already
//===----------------------------------------------------------------------===//

static bool isInside(const Graph &graph, RegionId inner, RegionId outer) {
  for (; inner.isValid(); inner = graph.regions[inner].parent)
    if (inner == outer)
      return true;
  return false;
}

/// The flops of contractions in a region and those in it, over all executions; of the whole program if it is invalid.
static double sumProducts(const Graph &graph, RegionId region) {
  double flops = 0;
  for (const Op &op : graph.ops.raw())
    if (op.opClass == OpClass::Contraction && (!region.isValid() || isInside(graph, op.region, region)))
      flops += double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region)));
  return flops;
}

RegionId findOwnAccumulation(const Analysis &analysis) {
  // Both passes of all microbatches; a loop over the steps of a recurrent network has one of them.
  constexpr double share = 0.9;
  const Graph &graph = analysis.getGraph();
  for (const Gradients &gradients : findGradients(analysis.getTopology(), analysis.getGroups()))
    for (CellId kept : gradients.kept) {
      RegionId loop = graph.cells[kept].region;
      if (graph.regions[loop].trips > 1 && sumProducts(graph, loop) >= share * sumProducts(graph, RegionId()))
        return loop;
    }
  return RegionId();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static int64_t findLeastDivisor(int64_t number) {
  for (int64_t divisor = 2; divisor * divisor <= number; ++divisor)
    if (number % divisor == 0)
      return divisor;
  return number;
}

std::vector<int64_t> listCounts(int64_t rows) {
  std::vector<int64_t> counts;
  for (int64_t count = 1; count < rows;)
    counts.push_back(count *= findLeastDivisor(rows / count));
  return counts;
}

bool isFasterBy(int64_t timePs, int64_t thanPs, int64_t percent) {
  return static_cast<__int128>(timePs) * 100 < static_cast<__int128>(thanPs) * (100 - percent);
}

/// Through two points.
static PeakCurve findCurve(const CountTrial &a, const CountTrial &b) {
  double variable = double(a.smallestBytes - b.smallestBytes) / (1 / double(a.count) - 1 / double(b.count));
  return {double(b.smallestBytes) - variable / double(b.count), variable};
}

/// The first of some numbers that is predicted to fit, or nearly so; the end if none is.
static const int64_t *predict(llvm::ArrayRef<int64_t> counts, const PeakCurve &curve, int64_t limitBytes) {
  constexpr double tolerance = 1.05;
  return llvm::find_if(counts, [&](int64_t count) { return curve.getPeak(count) <= double(limitBytes) * tolerance; });
}

/// Where nothing fits yet: behind the last one that was tried. The largest is tried whatever is predicted.
static int64_t chooseLarger(llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<CountTrial> tried, int64_t fixedBytes,
                            int64_t limitBytes) {
  const CountTrial &last = tried.back();
  llvm::ArrayRef<int64_t> larger(llvm::upper_bound(counts, last.count), counts.end());
  if (larger.empty())
    return 0;
  PeakCurve curve = tried.size() > 1 ? findCurve(tried[tried.size() - 2], last)
                                     : PeakCurve{double(fixedBytes), double(last.smallestBytes - fixedBytes)};
  const int64_t *found = predict(larger, curve, limitBytes);
  return found == larger.end() ? larger.back() : *found;
}

int64_t chooseNextCount(llvm::ArrayRef<int64_t> counts, std::vector<CountTrial> tried, int64_t fixedBytes,
                        int64_t limitBytes) {
  llvm::sort(tried, [](const CountTrial &a, const CountTrial &b) { return a.count < b.count; });
  auto fitting = llvm::find_if(tried, [](const CountTrial &trial) { return trial.fits; });
  if (fitting == tried.end())
    return chooseLarger(counts, tried, fixedBytes, limitBytes);
  if (fitting != tried.begin()) {
    const CountTrial &below = *std::prev(fitting);
    llvm::ArrayRef<int64_t> between(llvm::upper_bound(counts, below.count), llvm::lower_bound(counts, fitting->count));
    const int64_t *found = predict(between, findCurve(below, *fitting), limitBytes);
    if (found != between.end())
      return *found;
  }
  int64_t bestPs = INT64_MAX;
  for (const CountTrial &trial : tried)
    bestPs = trial.fits ? std::min(bestPs, trial.timePs) : bestPs;
  for (auto next = fitting; next != tried.end() && isFasterBy(next->fastestPs, bestPs, leastGain); ++next) {
    // Behind the best number, times grow again.
    if (next != fitting && next->fits && next->timePs > bestPs && std::prev(next)->timePs <= next->timePs)
      return 0;
    const int64_t *larger = llvm::upper_bound(counts, next->count);
    if (larger == counts.end())
      return 0;
    if (std::next(next) == tried.end() || std::next(next)->count != *larger)
      return *larger;
  }
  return 0;
}

} // namespace partita::variants
