//===- PairwiseAscent.cpp - the multipliers of a pairwise problem ---------===//

#include "partita/Search/Bound/PairwiseAscent.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>

namespace partita::search {

/// Weights are multiples of 2^-10 and theta of 2^-14.
static constexpr int fractionBits = 10, thetaBits = 14;
static constexpr int64_t kibi = int64_t(1) << fractionBits, wholeTheta = int64_t(1) << thetaBits;
/// The initial theta and mu, above 0, so that overlapped paths still differ in cost.
static constexpr int64_t firstTheta = wholeTheta / 32;

PairwiseAscent::PairwiseAscent(PairwiseProblem problem)
    : state(problem), numPoints(problem.numPoints), overlapPpm(problem.overlapPpm), limitBytes(problem.limitBytes),
      outerSegments(std::move(problem.outerSegments)), thetas(outerSegments.size(), 0), steps(outerSegments.size()),
      hasOverlap(outerSegments.size(), 0) {
  for (const EdgeState &edge : state.edges)
    for (const EdgeWeight &weight : {edge.whole, edge.partial})
      if (weight.isOverlapped)
        hasOverlap[weight.segment] = hasOverlap[weight.otherSegment] = 1;
  for (size_t segment = 0; segment < thetas.size(); ++segment)
    thetas[segment] = hasOverlap[segment] ? firstTheta : 0;
  nestThetas();
  for (const PathCut &cut : problem.cuts)
    cuts.push_back({cut, firstTheta, {}});
  fitCuts();
  applyMultipliers();
}

void PairwiseAscent::liftLimit() {
  assert(knownPs == INT64_MAX && "labels may have been dropped under the limit");
  limitBytes = -1;
  points.clear();
  best = work = 0;
  applyMultipliers();
}

int64_t PairwiseAscent::run(const PairwiseOptions &given) {
  // The first sweep after the start has no messages to be traced.
  constexpr uint32_t numFirst = 1, maxSweeps = 400;
  options = given;
  knownPs = std::min(knownPs, options.knownPs);
  int64_t goal = knownPs == INT64_MAX ? INT64_MAX : knownPs - knownPs / 1'000'000 * options.gapPpm;
  for (; numSweeps < maxSweeps && work < options.work && best < goal && !isClosed; ++numSweeps) {
    ascend();
    if (!state.findMatrices([&] { return isOver(); }))
      break;
    int64_t boundPs = sweepTwice();
    if (isOver())
      break;
    best = std::max(best, boundPs);
    if (numSweeps < numFirst)
      continue;
    trace();
    addPoint();
    isClosed = !state.dropLabels();
  }
  return isClosed ? knownPs : std::min(best, knownPs);
}

int64_t computePairwiseBoundPs(PairwiseProblem problem, const PairwiseOptions &options) {
  return PairwiseAscent(std::move(problem)).run(options);
}

//===----------------------------------------------------------------------===//
// Multipliers
//===----------------------------------------------------------------------===//

static int64_t weighBytes(int64_t bytes, int64_t weight, int64_t most) {
  __int128 product = static_cast<__int128>(bytes) * weight >> fractionBits;
  return static_cast<int64_t>(std::min<__int128>(product, most));
}

int64_t PairwiseAscent::countCopies(llvm::ArrayRef<BoundRange> ranges, uint32_t point) const {
  int64_t count = 0;
  for (const BoundRange &range : ranges)
    if (range.first <= point && point <= range.last)
      count += range.count;
  return count;
}

int64_t PairwiseAscent::computeLambda(llvm::ArrayRef<BoundRange> ranges) const {
  int64_t lambda = 0;
  for (const LimitedPoint &point : points)
    if (point.lambda > 0)
      lambda += point.lambda * countCopies(ranges, point.point);
  return lambda;
}

void PairwiseAscent::computeUnary(VariableState &variable) const {
  variable.unary.resize(variable.costs.size());
  // 1 - theta r - mu, rounded down, as a multiple of 2^-32.
  constexpr int factorBits = 32;
  __int128 whole = static_cast<__int128>(wholeTheta) * 1'000'000;
  __int128 left = whole - static_cast<__int128>(thetas[variable.segment]) * overlapPpm;
  for (uint32_t cut : variable.cuts)
    left -= static_cast<__int128>(cuts[cut].mu) * 1'000'000;
  // At least 0: what is left out at a front cut and at a back cut is left out once.
  __int128 factor = (std::max<__int128>(left, 0) << factorBits) / whole;
  for (size_t label = 0; label < variable.costs.size(); ++label) {
    variable.unary[label] = static_cast<int64_t>(variable.costs[label] * factor >> factorBits);
    if (variable.memoryWeight > 0)
      variable.unary[label] += weighBytes(variable.bytes[label], variable.memoryWeight, large);
  }
}

uint32_t PairwiseAscent::findSegment(const EdgeWeight &weight) const {
  return thetas[weight.otherSegment] < thetas[weight.segment] ? weight.otherSegment : weight.segment;
}

int64_t PairwiseAscent::computeWeight(const EdgeWeight &weight) const {
  if (!weight.isOverlapped)
    return weight.mantissa;
  int64_t share = thetas[findSegment(weight)];
  for (const WeighedCut &weighed : cuts)
    if (weight.countsAt(weighed.cut))
      share += weighed.mu;
  return weight.mantissa * share >> thetaBits;
}

/// The bytes of a sharding at an edge's end; 0 for anySharding and for a partial source.
int64_t getEndBytes(const ReshardTimes &times, uint32_t sharding, bool isSource) {
  bool isNothing = sharding == ReshardTimes::anySharding || (isSource && times.isPartial(sharding));
  return isNothing ? 0 : times.getBytes(sharding);
}

void PairwiseAscent::computeWeights(EdgeState &edge) const {
  int64_t whole = computeWeight(edge.whole), partial = computeWeight(edge.partial);
  int64_t memory = edge.ranges.empty() ? 0 : computeLambda(edge.ranges);
  edge.wholeWeight = whole;
  edge.partialWeight = partial;
  if (memory == edge.memoryWeight)
    return;
  edge.memoryWeight = memory;
  for (uint8_t side : {0, 1}) {
    EdgeEnd &end = edge.ends[side];
    end.memory.resize(end.shardings.size());
    for (size_t sharding = 0; sharding < end.shardings.size(); ++sharding)
      end.memory[sharding] =
          weighBytes(getEndBytes(*edge.times, end.shardings[sharding], side == 0), edge.memoryWeight, large);
  }
}

void PairwiseAscent::applyMultipliers() {
  for (VariableState &variable : state.variables) {
    variable.memoryWeight = variable.bytes.empty() ? 0 : computeLambda(variable.ranges);
    computeUnary(variable);
  }
  for (EdgeState &edge : state.edges)
    computeWeights(edge);
}

/// lambda L, rounded up.
int64_t PairwiseAscent::computeLimitPs() const {
  __int128 limit = 0;
  for (const LimitedPoint &point : points)
    limit += static_cast<__int128>(point.lambda) * limitBytes;
  return static_cast<int64_t>(std::min<__int128>((limit + kibi - 1) >> fractionBits, large));
}

/// Adds the point at which the relaxed minimum has most bytes alive, if these exceed the limit.
void PairwiseAscent::addPoint() {
  constexpr size_t maxPoints = 12;
  if (limitBytes < 0 || points.size() >= maxPoints)
    return;
  double alive = 0, most = 0;
  uint32_t at = 0;
  for (uint32_t point = 0; point < numPoints; ++point) {
    alive += profile[point];
    if (alive > most) {
      most = alive;
      at = point;
    }
  }
  bool isKnown = llvm::any_of(points, [&](const LimitedPoint &known) { return known.point == at; });
  if (most > double(limitBytes) && !isKnown)
    points.push_back({at, 0, {}});
}

/// The step of a multiplier: larger while the supergradient keeps its sign, half as large when the sign changes.
static double findStep(double slope, MultiplierStep &last) {
  int sign = slope > 0 ? 1 : slope < 0 ? -1 : 0;
  if (sign == 0)
    return 0;
  if (last.sign != 0)
    last.length = sign == last.sign ? std::min(1.5 * last.length, MultiplierStep::most) : last.length / 2;
  last.sign = sign;
  return sign * last.length;
}

/// Where the network sets the pace of a segment, it does so for those inside.
void PairwiseAscent::nestThetas() {
  for (size_t segment = 0; segment < thetas.size(); ++segment)
    thetas[segment] = std::max(thetas[segment], thetas[outerSegments[segment]]);
}

/// The cuts of either side of a segment have together no more than theta leaves.
void PairwiseAscent::fitCuts() {
  for (size_t first = 0, last; first < cuts.size(); first = last) {
    const PathCut &begin = cuts[first].cut;
    int64_t sum = 0, most = wholeTheta - thetas[begin.segment];
    for (last = first;
         last < cuts.size() && cuts[last].cut.segment == begin.segment && cuts[last].cut.isBack == begin.isBack; ++last)
      sum += cuts[last].mu;
    for (size_t i = first; i < last && sum > most; ++i)
      cuts[i].mu = cuts[i].mu * most / sum;
  }
}

/// Each multiplier has its own step size, since the weights of segments and points differ by orders of magnitude. theta
/// is dimensionless; lambda is measured in known time per limit.
void PairwiseAscent::ascend() {
  if (!gradient)
    return;
  gradient->points.resize(points.size(), 0);
  double target = double(knownPs < INT64_MAX ? knownPs : best);
  double lambdaScale = target * double(kibi) / double(std::max<int64_t>(limitBytes, 1));
  for (size_t segment = 0; segment < thetas.size(); ++segment) {
    if (!hasOverlap[segment])
      continue;
    double step = findStep(gradient->segments[segment], steps[segment]);
    thetas[segment] = std::clamp<int64_t>(thetas[segment] + std::llround(step * double(wholeTheta)), 0, wholeTheta);
  }
  nestThetas();
  for (size_t i = 0; i < cuts.size(); ++i) {
    double step = findStep(gradient->cuts[i], cuts[i].step);
    cuts[i].mu = std::clamp<int64_t>(cuts[i].mu + std::llround(step * double(wholeTheta)), 0, wholeTheta);
  }
  fitCuts();
  for (size_t i = 0; i < points.size(); ++i) {
    int64_t step = std::llround(findStep(gradient->points[i], points[i].step) * lambdaScale);
    points[i].lambda = std::clamp<int64_t>(points[i].lambda + step, 0, int64_t(1) << 40);
  }
  gradient.reset();
  applyMultipliers();
}

} // namespace partita::search
