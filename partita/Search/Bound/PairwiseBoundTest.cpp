//===- PairwiseBoundTest.cpp - bounds against exhaustive choices ----------===//

#include "partita/Search/Bound/PairwiseAscent.h"

#include "partita/Testing/RandomGraph.h"

#include <gtest/gtest.h>

#include <optional>
#include <set>

namespace partita::search {

using namespace fixtures;
namespace {

/// Random times, bytes and partial shardings.
class AnyTimes : public ReshardTimes {
public:
  AnyTimes(RandomNumbers &random, uint32_t numShardings) : numShardings(numShardings) {
    for (uint32_t i = 0; i < numShardings * numShardings; ++i)
      times.push_back(i % (numShardings + 1) == 0 ? 0 : random.chance(5) ? noWay : random.below(1'000'000));
    for (uint32_t sharding = 0; sharding < numShardings; ++sharding) {
      bytes.push_back(random.below(1000));
      partials.push_back(random.chance(20));
    }
  }
  const int64_t *getTimes(uint32_t from) override { return &times[size_t(from) * numShardings]; }
  int64_t getBytes(uint32_t sharding) const override { return bytes[sharding]; }
  bool isPartial(uint32_t sharding) const override { return partials[sharding] != 0; }

private:
  uint32_t numShardings;
  std::vector<int64_t> times, bytes;
  std::vector<uint8_t> partials;
};

constexpr uint32_t numSegments = 3, numPoints = 4, numShardings = 4;

llvm::SmallVector<BoundRange, 1> drawRanges(RandomNumbers &random) {
  uint32_t first = random.below(numPoints), last = first + random.below(numPoints - first);
  return {{first, last, 1 + int64_t(random.below(3))}};
}

constexpr uint32_t numPlaces = 6;

/// Half of them in one segment; of these, some have a place.
EdgeWeight drawWeight(RandomNumbers &random) {
  EdgeWeight weight{int64_t(random.below(4000)), random.chance(50), random.below(numSegments),
                    random.below(numSegments)};
  if (random.chance(50))
    weight.otherSegment = weight.segment;
  if (random.chance(40))
    weight.noLater = 1 + random.below(numPlaces);
  else if (random.chance(60))
    weight.noEarlier = 1 + random.below(numPlaces);
  return weight;
}

/// At most two cuts on either side of each segment.
std::vector<PathCut> drawCuts(RandomNumbers &random) {
  std::set<PathCut> cuts;
  for (uint32_t segment = 0; segment < numSegments; ++segment) {
    uint32_t middle = 1 + random.below(numPlaces);
    for (uint32_t number = random.below(3); number > 0; --number)
      cuts.insert({segment, false, 1 + random.below(middle)});
    for (uint32_t number = random.below(3); number > 0; --number)
      cuts.insert({segment, true, middle + random.below(numPlaces + 1 - middle)});
  }
  return {cuts.begin(), cuts.end()};
}

PairwiseProblem drawProblem(RandomNumbers &random, AnyTimes &times) {
  PairwiseProblem problem;
  // The second is inside of the first, the third inside of one of the two.
  problem.outerSegments = {0, 0, random.below(2)};
  problem.cuts = drawCuts(random);
  problem.numPoints = numPoints;
  problem.overlapPpm = 800'000;
  for (uint32_t number = 0; number < 2 + random.below(5); ++number) {
    BoundVariable variable;
    variable.order = random.below(4);
    variable.segment = random.below(numSegments);
    variable.firstPlace = 1 + random.below(numPlaces);
    variable.lastPlace = variable.firstPlace + random.below(numPlaces + 1 - variable.firstPlace);
    for (uint32_t label = 0; label < 1 + random.below(4); ++label)
      variable.costs.push_back(random.below(1'000'000));
    if (random.chance(60)) {
      for (size_t label = 0; label < variable.costs.size(); ++label)
        variable.bytes.push_back(random.below(1000));
      variable.ranges = drawRanges(random);
    }
    problem.variables.push_back(std::move(variable));
  }
  for (uint32_t number = 0; number < random.below(9); ++number) {
    BoundEdge edge;
    auto drawEnd = [&](std::vector<uint32_t> &shardings) {
      VariableId id(random.below(problem.variables.size()));
      for (size_t label = 0; label < problem.variables[id].costs.size(); ++label)
        shardings.push_back(random.chance(5) ? ReshardTimes::anySharding : random.below(numShardings));
      return id;
    };
    edge.source = drawEnd(edge.sourceShardings);
    edge.target = drawEnd(edge.targetShardings);
    edge.times = &times;
    edge.whole = drawWeight(random);
    edge.partial = drawWeight(random);
    if (random.chance(50))
      edge.ranges = drawRanges(random);
    if (edge.source != edge.target)
      problem.edges.push_back(std::move(edge));
  }
  return problem;
}

/// What the longest path of a segment takes beside what no path passes by; for each pair of cuts, or none.
class LongestPath {
public:
  LongestPath(const PairwiseProblem &problem, uint32_t segment) {
    std::vector<std::optional<PathCut>> fronts{std::nullopt}, backs{std::nullopt};
    for (const PathCut &cut : problem.cuts)
      if (cut.segment == segment)
        (cut.isBack ? backs : fronts).push_back(cut);
    for (const auto &front : fronts)
      for (const auto &back : backs)
        paths.push_back({front, back, 0});
  }
  void add(const BoundVariable &variable, double timePs) {
    for (Path &path : paths)
      if (!(path.front && variable.isLeftOutAt(*path.front)) && !(path.back && variable.isLeftOutAt(*path.back)))
        path.timePs += timePs;
  }
  void add(const EdgeWeight &weight, double timePs) {
    for (Path &path : paths)
      if ((path.front && weight.countsAt(*path.front)) || (path.back && weight.countsAt(*path.back)))
        path.timePs += timePs;
  }
  double get() const {
    double most = 0;
    for (const Path &path : paths)
      most = std::max(most, path.timePs);
    return most;
  }

private:
  struct Path {
    std::optional<PathCut> front, back;
    double timePs;
  };
  std::vector<Path> paths;
};

/// The cost of one choice of labels, by the definition in PairwiseBound.h; a weight of two segments counts in the
/// cheaper one.
struct ChoiceCost {
  double timePs = 0;
  int64_t peakBytes = 0;
};

ChoiceCost evaluateChoice(const PairwiseProblem &problem, ReshardTimes &times, llvm::ArrayRef<uint32_t> labels) {
  std::vector<double> compute(numSegments, 0), exposed(numSegments, 0), overlapped(numSegments, 0);
  std::vector<int64_t> alive(numPoints, 0);
  auto addMemory = [&](llvm::ArrayRef<BoundRange> ranges, int64_t bytes) {
    for (const BoundRange &range : ranges)
      for (uint32_t point = range.first; point <= range.last; ++point)
        alive[point] += range.count * bytes;
  };
  std::vector<LongestPath> paths;
  for (uint32_t segment = 0; segment < numSegments; ++segment)
    paths.emplace_back(problem, segment);
  double never = 0;
  for (VariableId id : idRange<VariableId>(problem.variables.size())) {
    const BoundVariable &variable = problem.variables[id];
    compute[variable.segment] += double(variable.costs[labels[id.get()]]);
    paths[variable.segment].add(variable, double(variable.costs[labels[id.get()]]));
    if (!variable.bytes.empty())
      addMemory(variable.ranges, variable.bytes[labels[id.get()]]);
  }
  for (const BoundEdge &edge : problem.edges.raw()) {
    uint32_t f = edge.sourceShardings[labels[edge.source.get()]], g = edge.targetShardings[labels[edge.target.get()]];
    if (f == ReshardTimes::anySharding || g == ReshardTimes::anySharding)
      continue;
    int64_t timePs = times.getTimes(f)[g];
    if (timePs == ReshardTimes::noWay) {
      never = 1e30;
      continue;
    }
    const EdgeWeight &weight = times.isPartial(f) ? edge.partial : edge.whole;
    double weighed = double(timePs) * double(weight.mantissa) / double(EdgeWeight::unit);
    (weight.isOverlapped ? overlapped : exposed)[weight.segment] += weighed;
    paths[weight.segment].add(weight, weighed);
    if (!times.isPartial(f))
      addMemory(edge.ranges, std::min(times.getBytes(f), times.getBytes(g)));
  }
  ChoiceCost cost;
  cost.timePs = never;
  // From the inside out: what a segment takes, and how long its network is busy.
  std::vector<double> taken(numSegments, 0), busy(numSegments, 0);
  for (uint32_t segment = numSegments; segment-- > 0;) {
    busy[segment] += 0.2 * compute[segment] + exposed[segment] + overlapped[segment];
    taken[segment] = std::max(taken[segment] + paths[segment].get() + exposed[segment], busy[segment]);
    if (segment == 0)
      break;
    taken[problem.outerSegments[segment]] += taken[segment];
    busy[problem.outerSegments[segment]] += busy[segment];
  }
  cost.timePs += taken[0];
  cost.peakBytes = *std::max_element(alive.begin(), alive.end());
  return cost;
}

template <typename Visit> void forEachChoice(const PairwiseProblem &problem, Visit visit) {
  std::vector<uint32_t> labels(problem.variables.size(), 0);
  while (true) {
    visit(labels);
    size_t at = 0;
    while (at < labels.size() && ++labels[at] == problem.variables[VariableId(static_cast<uint32_t>(at))].costs.size())
      labels[at++] = 0;
    if (at == labels.size())
      return;
  }
}

/// Never above the least of all choices within the limit, and often equal to it; rounded, it is often the best choice.
TEST(PairwiseBound, IsBelowTheBestChoice) {
  RandomNumbers random(1);
  int numBinding = 0, numTight = 0, numFeasible = 0, numRounded = 0, numBest = 0;
  for (int i = 0; i < 2000; ++i) {
    AnyTimes times(random, numShardings);
    PairwiseProblem problem = drawProblem(random, times);
    for (const BoundEdge &edge : problem.edges.raw())
      ASSERT_NE(edge.source, edge.target);
    std::vector<ChoiceCost> costs;
    forEachChoice(problem,
                  [&](llvm::ArrayRef<uint32_t> labels) { costs.push_back(evaluateChoice(problem, times, labels)); });
    // A limit that some choices exceed and some do not.
    problem.limitBytes = random.chance(20) ? -1 : costs[random.below(costs.size())].peakBytes;
    double best = 1e30, unlimited = 1e30;
    for (const ChoiceCost &cost : costs) {
      unlimited = std::min(unlimited, cost.timePs);
      if (problem.limitBytes < 0 || cost.peakBytes <= problem.limitBytes)
        best = std::min(best, cost.timePs);
    }
    if (best >= 1e29)
      continue;
    ++numFeasible;
    PairwiseOptions options;
    options.work = 200'000;
    if (random.chance(50))
      options.knownPs = int64_t(best * (1 + random.below(50) / 100.0)) + 1;
    int64_t boundPs = computePairwiseBoundPs(problem, options);
    ASSERT_LE(double(boundPs), best + 1) << "problem " << i;
    // Stopping at any moment leaves a valid bound.
    PairwiseOptions hasty = options;
    hasty.isOver = [left = int(random.below(40))]() mutable { return --left < 0; };
    ASSERT_LE(computePairwiseBoundPs(problem, hasty), boundPs) << "problem " << i;
    // So does an ascent that goes on when something better is known, and without a limit if nothing is.
    PairwiseAscent ascent(problem);
    PairwiseOptions begin = hasty;
    begin.work = options.work / 4;
    begin.knownPs = random.chance(50) || options.knownPs == INT64_MAX ? INT64_MAX : options.knownPs * 2;
    int64_t firstPs = ascent.run(begin), secondPs = ascent.run(options);
    ASSERT_LE(firstPs, secondPs) << "problem " << i;
    ASSERT_LE(double(secondPs), best + 1) << "problem " << i;
    if (ascent.canRound()) {
      std::vector<uint32_t> labels = ascent.round();
      ChoiceCost rounded = evaluateChoice(problem, times, labels);
      ++numRounded;
      numBest += rounded.timePs <= best + 1 && (problem.limitBytes < 0 || rounded.peakBytes <= problem.limitBytes);
    }
    if (options.knownPs == INT64_MAX) {
      ascent.liftLimit();
      ASSERT_LE(double(ascent.run(options)), unlimited + 1) << "problem " << i;
    }
    numBinding += unlimited < best - 1;
    numTight += double(boundPs) > 0.98 * best;
  }
  EXPECT_GT(numBinding, 300);
  EXPECT_GT(numTight, numFeasible / 2);
  EXPECT_GT(numBest, numRounded / 3);
}

} // namespace
} // namespace partita::search
