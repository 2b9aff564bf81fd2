//===- PairwiseBound.cpp - bounds sums of pairwise costs under limits -----===//

#include "partita/Search/Bound/PairwiseState.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace partita::search {

namespace {

/// Weights are multiples of 2^-10 and theta of 2^-14; lambda is in picoseconds for 2^10 bytes.
constexpr int fractionBits = 10, thetaBits = 14;
constexpr int64_t kibi = int64_t(1) << fractionBits, wholeTheta = int64_t(1) << thetaBits;
/// The initial theta, above 0, so that overlapped paths still differ in cost.
constexpr int64_t firstTheta = wholeTheta / 32;
/// `large` is more than any time; `mostSent` is the largest sum of messages to a variable.
constexpr int64_t large = int64_t(1) << 57, mostSent = int64_t(1) << 60;

/// The last step of a multiplier: its size and direction.
struct Stride {
  double length = 1.0 / 32;
  int sign = 0;

  static constexpr double most = 0.25;
};

/// A point at which memory is limited, and its multiplier.
struct LimitedPoint {
  uint32_t point = 0;
  int64_t lambda = 0;
  Stride stride;
};

int64_t weighBytes(int64_t bytes, int64_t weight) {
  __int128 product = static_cast<__int128>(bytes) * weight >> fractionBits;
  return static_cast<int64_t>(std::min<__int128>(product, large));
}

class Ascent {
public:
  Ascent(PairwiseProblem problem, const PairwiseOptions &options);

  PairwiseBound run();

private:
  bool isOver() const { return options.isOver && options.isOver(); }

  /// How much the minimum of the relaxed problem uses of each resource.
  struct Gradient {
    std::vector<double> segments;
    std::vector<double> points;
  };

  // Multipliers.
  void computeUnary(VariableState &variable) const;
  void computeWeights(EdgeState &edge) const;
  /// The segment whose theta counts.
  uint32_t findSegment(const EdgeWeight &weight) const;
  int64_t computeWeight(const EdgeWeight &weight) const;
  void applyMultipliers();
  int64_t countCopies(llvm::ArrayRef<BoundRange> ranges, uint32_t point) const;
  int64_t computeLambda(llvm::ArrayRef<BoundRange> ranges) const;
  void nestThetas();
  void ascend(const Gradient &gradient);
  void addPoint();

  // Sweeps.
  int64_t collect(const VariableState &variable);
  int64_t send(uint32_t edge, uint8_t end);
  void spread(const EdgeState &edge, uint8_t end);
  const ReshardTimeMatrix &getMatrix(const EdgeState &edge);
  int64_t sweepTwice();
  __int128 sweep(bool isForward);
  void markLabels(VariableState &variable) const;
  void computeFrom(const EdgeEnd &own);
  void computeShardingWeights(const EdgeState &edge, const ReshardTimeMatrix &matrix);

  // A choice of labels.
  std::vector<uint32_t> round();
  void addCostsOf(const EdgeState &edge, uint8_t end, uint32_t otherLabel);

  // Resources that the minimum uses.
  void trace(Gradient &gradient);
  void traceEdge(uint32_t own, uint32_t edge, uint8_t end, Gradient &gradient);
  void noteEdge(const EdgeState &edge, size_t sourceSharding, size_t targetSharding, double mass, Gradient &gradient);
  void noteMemory(llvm::ArrayRef<BoundRange> ranges, double bytes, Gradient &gradient);
  int64_t computeLimitPs() const;

  PairwiseOptions options;
  PairwiseState state;
  uint32_t numPoints;
  int64_t overlapPpm, limitBytes;
  /// The cost of impossible pairs: more than any relevant choice.
  int64_t never;
  std::vector<uint32_t> outerSegments;
  std::vector<int64_t> thetas;
  std::vector<Stride> strides;
  std::vector<uint8_t> hasOverlap;
  std::vector<LimitedPoint> points;
  /// Differences of the bytes that the relaxed minimum has alive.
  std::vector<double> profile;
  int64_t work = 0, best = 0;
  /// A label is dropped if it is this far above the least of its variable.
  int64_t dropped = INT64_MAX;
  // For the current variable: its values, and the share of them that goes along one edge.
  std::vector<int64_t> values, shares;
  std::vector<int64_t> leastShares;
  // For the current edge.
  std::vector<double> from, to, other, shardingWeights;
  std::vector<uint32_t> fromLabels;
  std::optional<ReshardTimeMatrix> madeMatrix;
};

} // namespace

//===----------------------------------------------------------------------===//
// Set up
//===----------------------------------------------------------------------===//

Ascent::Ascent(PairwiseProblem problem, const PairwiseOptions &options)
    : options(options), state(problem), numPoints(problem.numPoints), overlapPpm(problem.overlapPpm),
      limitBytes(problem.limitBytes), never(2 * std::min(options.knownPs, int64_t(1) << 52)),
      outerSegments(problem.outerSegments), thetas(outerSegments.size(), 0), strides(outerSegments.size()),
      hasOverlap(outerSegments.size(), 0) {
  for (const EdgeState &edge : state.edges)
    for (const EdgeWeight &weight : {edge.whole, edge.partial})
      if (weight.isOverlapped)
        hasOverlap[weight.segment] = hasOverlap[weight.otherSegment] = 1;
  for (size_t segment = 0; segment < thetas.size(); ++segment)
    thetas[segment] = hasOverlap[segment] ? firstTheta : 0;
  nestThetas();
}

//===----------------------------------------------------------------------===//
// Multipliers
//===----------------------------------------------------------------------===//

int64_t Ascent::countCopies(llvm::ArrayRef<BoundRange> ranges, uint32_t point) const {
  int64_t count = 0;
  for (const BoundRange &range : ranges)
    if (range.first <= point && point <= range.last)
      count += range.count;
  return count;
}

int64_t Ascent::computeLambda(llvm::ArrayRef<BoundRange> ranges) const {
  int64_t lambda = 0;
  for (const LimitedPoint &point : points)
    if (point.lambda > 0)
      lambda += point.lambda * countCopies(ranges, point.point);
  return lambda;
}

void Ascent::computeUnary(VariableState &variable) const {
  variable.unary.resize(variable.costs.size());
  // 1 - theta r, rounded down, as a multiple of 2^-32.
  constexpr int factorBits = 32;
  __int128 whole = static_cast<__int128>(wholeTheta) * 1'000'000;
  __int128 factor = ((whole - static_cast<__int128>(thetas[variable.segment]) * overlapPpm) << factorBits) / whole;
  for (size_t label = 0; label < variable.costs.size(); ++label) {
    variable.unary[label] = static_cast<int64_t>(variable.costs[label] * factor >> factorBits);
    if (variable.memoryWeight > 0)
      variable.unary[label] += weighBytes(variable.bytes[label], variable.memoryWeight);
  }
}

uint32_t Ascent::findSegment(const EdgeWeight &weight) const {
  return thetas[weight.otherSegment] < thetas[weight.segment] ? weight.otherSegment : weight.segment;
}

int64_t Ascent::computeWeight(const EdgeWeight &weight) const {
  return weight.isOverlapped ? weight.mantissa * thetas[findSegment(weight)] >> thetaBits : weight.mantissa;
}

/// The bytes of a sharding at an edge's end; 0 for anySharding and for a partial source.
static int64_t getBytes(const ReshardTimes &times, uint32_t sharding, bool isSource) {
  bool isNothing = sharding == ReshardTimes::anySharding || (isSource && times.isPartial(sharding));
  return isNothing ? 0 : times.getBytes(sharding);
}

void Ascent::computeWeights(EdgeState &edge) const {
  int64_t whole = computeWeight(edge.whole), partial = computeWeight(edge.partial);
  int64_t memory = edge.ranges.empty() ? 0 : computeLambda(edge.ranges);
  edge.wholeWeight = whole;
  edge.partialWeight = partial;
  if (memory == edge.memoryWeight)
    return;
  edge.memoryWeight = memory;
  for (uint8_t side : {0, 1}) {
    EdgeEnd &end = edge.ends[side];
    for (size_t sharding = 0; sharding < end.shardings.size(); ++sharding)
      end.memory[sharding] = weighBytes(getBytes(*edge.times, end.shardings[sharding], side == 0), edge.memoryWeight);
  }
}

void Ascent::applyMultipliers() {
  for (VariableState &variable : state.variables) {
    variable.memoryWeight = variable.bytes.empty() ? 0 : computeLambda(variable.ranges);
    computeUnary(variable);
  }
  for (EdgeState &edge : state.edges)
    computeWeights(edge);
}

/// lambda L, rounded up.
int64_t Ascent::computeLimitPs() const {
  __int128 limit = 0;
  for (const LimitedPoint &point : points)
    limit += static_cast<__int128>(point.lambda) * limitBytes;
  return static_cast<int64_t>(std::min<__int128>((limit + kibi - 1) >> fractionBits, large));
}

/// Adds the point at which the relaxed minimum has most bytes alive, if these exceed the limit.
void Ascent::addPoint() {
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
static double findStep(double slope, Stride &stride) {
  int sign = slope > 0 ? 1 : slope < 0 ? -1 : 0;
  if (sign == 0)
    return 0;
  if (stride.sign != 0)
    stride.length = sign == stride.sign ? std::min(1.5 * stride.length, Stride::most) : stride.length / 2;
  stride.sign = sign;
  return sign * stride.length;
}

/// Each multiplier has its own step size, since the weights of segments and points differ by orders of magnitude. theta
/// is dimensionless; lambda is measured in known time per limit.
/// Where the network sets the pace of a segment, it does so for those inside.
void Ascent::nestThetas() {
  for (size_t segment = 0; segment < thetas.size(); ++segment)
    thetas[segment] = std::max(thetas[segment], thetas[outerSegments[segment]]);
}

void Ascent::ascend(const Gradient &gradient) {
  double target = double(options.knownPs < INT64_MAX ? options.knownPs : best);
  double lambdaScale = target * double(kibi) / double(std::max<int64_t>(limitBytes, 1));
  for (size_t segment = 0; segment < thetas.size(); ++segment) {
    if (!hasOverlap[segment])
      continue;
    double step = findStep(gradient.segments[segment], strides[segment]);
    thetas[segment] = std::clamp<int64_t>(thetas[segment] + std::llround(step * double(wholeTheta)), 0, wholeTheta);
  }
  nestThetas();
  for (size_t i = 0; i < points.size(); ++i) {
    int64_t step = std::llround(findStep(gradient.points[i], points[i].stride) * lambdaScale);
    points[i].lambda = std::clamp<int64_t>(points[i].lambda + step, 0, int64_t(1) << 40);
  }
}

//===----------------------------------------------------------------------===//
// Sweeps
//===----------------------------------------------------------------------===//

/// Sets `values` to the variable's own costs plus messages, minus their minimum, which is returned; and `shares` of
/// them.
int64_t Ascent::collect(const VariableState &variable) {
  values = variable.unary;
  for (auto [number, end] : variable.edges) {
    const EdgeEnd &own = state.edges[number].ends[end];
    for (size_t label = 0; label < values.size(); ++label)
      values[label] += own.sent[own.ofLabel[label]];
  }
  int64_t least = *llvm::min_element(values);
  for (int64_t &value : values)
    value -= least;
  shares = values;
  if (int64_t share = variable.getShare(); share > 1)
    for (int64_t &value : shares)
      value /= share;
  return least;
}

/// Sets `from`: for each sharding of the variable, the least share of the values without the message along the edge.
void Ascent::computeFrom(const EdgeEnd &own) {
  leastShares.assign(own.shardings.size(), INT64_MAX);
  fromLabels.assign(own.shardings.size(), 0);
  for (uint32_t label = 0; label < shares.size(); ++label) {
    uint16_t sharding = own.ofLabel[label];
    if (shares[label] < leastShares[sharding]) {
      leastShares[sharding] = shares[label];
      fromLabels[sharding] = label;
    }
  }
  from.resize(own.shardings.size());
  for (size_t sharding = 0; sharding < from.size(); ++sharding)
    from[sharding] = double(leastShares[sharding] - own.sent[sharding]);
}

/// Valid until the next call.
const ReshardTimeMatrix &Ascent::getMatrix(const EdgeState &edge) {
  if (edge.matrix)
    return *edge.matrix;
  return madeMatrix.emplace(*edge.times, edge.ends[0].shardings, edge.ends[1].shardings);
}

/// The weight of the time from each sharding of the source.
void Ascent::computeShardingWeights(const EdgeState &edge, const ReshardTimeMatrix &matrix) {
  auto convert = [](int64_t weight) { return std::max(double(weight) / double(kibi), ReshardTimeMatrix::leastWeight); };
  double whole = convert(edge.wholeWeight), partial = convert(edge.partialWeight);
  shardingWeights.resize(matrix.numSource);
  for (size_t sharding = 0; sharding < shardingWeights.size(); ++sharding)
    shardingWeights[sharding] = matrix.isPartial[sharding] ? partial : whole;
}

/// Sets `to`: for each sharding at the other end, the least sum of `from` and the cost between.
void Ascent::spread(const EdgeState &edge, uint8_t end) {
  const ReshardTimeMatrix &matrix = getMatrix(edge);
  computeShardingWeights(edge, matrix);
  work += int64_t(matrix.numSource) * int64_t(matrix.numTarget);
  to.resize(end == 0 ? matrix.numTarget : matrix.numSource);
  matrix.spread(end, shardingWeights, from, to);
  if (edge.memoryWeight == 0)
    return;
  // A minimum over min(b, b) is the smaller of the minima with the one and with the other.
  const std::vector<int64_t> &ownMemory = edge.ends[end].memory, &otherMemory = edge.ends[1 - end].memory;
  for (size_t sharding = 0; sharding < from.size(); ++sharding)
    from[sharding] += double(ownMemory[sharding]);
  other.resize(to.size());
  matrix.spread(end, shardingWeights, from, other);
  for (size_t sharding = 0; sharding < to.size(); ++sharding)
    to[sharding] = std::min(to[sharding] + double(otherMemory[sharding]), other[sharding]);
}

/// Sends a message along one edge: the least cost for each sharding of the other end, minus the minimum, which is
/// returned.
int64_t Ascent::send(uint32_t number, uint8_t end) {
  EdgeState &edge = state.edges[number];
  EdgeEnd &other = edge.ends[1 - end];
  computeFrom(edge.ends[end]);
  spread(edge, end);
  int64_t least = ReshardTimeMatrix::roundDown(*llvm::min_element(to));
  int64_t most = std::min(16 * never, mostSent / int64_t(state.variables[other.variable].edges.size()));
  for (size_t sharding = 0; sharding < to.size(); ++sharding)
    other.sent[sharding] = std::min(ReshardTimeMatrix::roundDown(to[sharding]) - least, most);
  return least;
}

/// Marks labels with which no choice is better than the known one. The previous sweep gave a bound; with the label it
/// rises by the label's distance from the least.
void Ascent::markLabels(VariableState &variable) const {
  if (llvm::none_of(values, [&](int64_t value) { return value >= dropped; }))
    return;
  variable.isDropped.resize(values.size(), 0);
  for (size_t label = 0; label < values.size(); ++label)
    variable.isDropped[label] |= values[label] >= dropped;
}

/// Eliminates variables one by one: shares of a variable's values go along its edges to the remaining ones, at most all
/// of them. The sum of what is subtracted is a bound of the whole.
__int128 Ascent::sweep(bool isForward) {
  __int128 bound = -static_cast<__int128>(computeLimitPs());
  for (size_t i = 0; i < state.variables.size(); ++i) {
    if (isOver())
      return -large;
    uint32_t own = static_cast<uint32_t>(isForward ? i : state.variables.size() - 1 - i);
    VariableState &variable = state.variables[own];
    bound += collect(variable);
    markLabels(variable);
    for (auto [number, end] : variable.edges) {
      uint32_t other = state.edges[number].ends[1 - end].variable;
      if (isForward ? other > own : other < own)
        bound += send(number, end);
    }
  }
  return bound;
}

//===----------------------------------------------------------------------===//
// Resources that the minimum uses
//===----------------------------------------------------------------------===//

void Ascent::noteMemory(llvm::ArrayRef<BoundRange> ranges, double bytes, Gradient &gradient) {
  if (bytes == 0)
    return;
  for (const BoundRange &range : ranges) {
    profile[range.first] += double(range.count) * bytes;
    profile[range.last + 1] -= double(range.count) * bytes;
  }
  for (size_t i = 0; i < points.size(); ++i)
    gradient.points[i] += double(countCopies(ranges, points[i].point)) * bytes;
}

void Ascent::noteEdge(const EdgeState &edge, size_t i, size_t j, double mass, Gradient &gradient) {
  uint32_t f = edge.ends[0].shardings[i], g = edge.ends[1].shardings[j];
  if (f == ReshardTimes::anySharding || g == ReshardTimes::anySharding)
    return;
  const EdgeWeight &weight = edge.times->isPartial(f) ? edge.partial : edge.whole;
  int64_t timePs = edge.times->getTimes(f)[g];
  if (weight.isOverlapped && timePs != ReshardTimes::noWay)
    gradient.segments[findSegment(weight)] += mass * double(timePs) * double(weight.mantissa) / double(kibi);
  int64_t bytes = std::min(getBytes(*edge.times, f, true), getBytes(*edge.times, g, false));
  noteMemory(edge.ranges, mass * double(bytes), gradient);
}

/// For each sharding of the earlier variable, finds the one from which the message to it came.
void Ascent::traceEdge(uint32_t own, uint32_t number, uint8_t end, Gradient &gradient) {
  const EdgeState &edge = state.edges[number];
  const EdgeEnd &ownEnd = edge.ends[end], &other = edge.ends[1 - end];
  const ReshardTimeMatrix &matrix = getMatrix(edge);
  computeFrom(ownEnd);
  computeShardingWeights(edge, matrix);
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
      double cost = shardingWeights[source] * matrix.bySource[source * matrix.numTarget + target] +
                    double(std::min(ownEnd.memory[sharding], other.memory[otherSharding]));
      if (from[sharding] + cost < least) {
        least = from[sharding] + cost;
        best = sharding;
      }
    }
    work += int64_t(from.size());
    state.variables[own].mass[fromLabels[best]] += mass[otherSharding] / share;
    noteEdge(edge, end == 0 ? best : otherSharding, end == 0 ? otherSharding : best, mass[otherSharding], gradient);
  }
}

/// Follows the sweep backwards, from the last variable to the first.
void Ascent::trace(Gradient &gradient) {
  gradient.segments.assign(thetas.size(), 0);
  gradient.points.assign(points.size(), -double(limitBytes));
  profile.assign(numPoints + 1, 0);
  for (uint32_t own = 0; own < state.variables.size(); ++own) {
    VariableState &variable = state.variables[own];
    collect(variable);
    variable.mass.assign(values.size(), 0);
    double share = double(variable.getShare());
    variable.mass[llvm::min_element(values) - values.begin()] = 1 - double(variable.numEarlier) / share;
    for (auto [number, end] : variable.edges)
      if (state.edges[number].ends[1 - end].variable < own)
        traceEdge(own, number, end, gradient);
    double cost = 0, bytes = 0;
    for (size_t label = 0; label < values.size(); ++label) {
      cost += variable.mass[label] * double(variable.costs[label]);
      if (!variable.bytes.empty())
        bytes += variable.mass[label] * double(variable.bytes[label]);
    }
    gradient.segments[variable.segment] -= cost * double(overlapPpm) / 1e6;
    noteMemory(variable.ranges, bytes, gradient);
  }
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// Adds to `values` what each label of the variable costs along the edge if the variable at the other end has
/// `otherLabel`.
void Ascent::addCostsOf(const EdgeState &edge, uint8_t end, uint32_t otherLabel) {
  const EdgeEnd &own = edge.ends[end], &other = edge.ends[1 - end];
  const ReshardTimeMatrix &matrix = getMatrix(edge);
  computeShardingWeights(edge, matrix);
  size_t there = other.ofLabel[otherLabel];
  for (size_t label = 0; label < values.size(); ++label) {
    size_t here = own.ofLabel[label];
    size_t source = end == 0 ? here : there, target = end == 0 ? there : here;
    double cost = shardingWeights[source] * matrix.bySource[source * matrix.numTarget + target] +
                  double(std::min(own.memory[here], other.memory[there]));
    values[label] += ReshardTimeMatrix::roundDown(std::min(cost, double(large)));
  }
}

std::vector<uint32_t> Ascent::round() {
  std::vector<uint32_t> chosen(state.variables.size()), labels(state.variables.size());
  for (uint32_t own = 0; own < state.variables.size(); ++own) {
    const VariableState &variable = state.variables[own];
    values = variable.unary;
    for (auto [number, end] : variable.edges) {
      const EdgeState &edge = state.edges[number];
      uint32_t other = edge.ends[1 - end].variable;
      if (other < own) {
        addCostsOf(edge, end, chosen[other]);
        continue;
      }
      for (size_t label = 0; label < values.size(); ++label)
        values[label] += edge.ends[end].sent[edge.ends[end].ofLabel[label]];
    }
    chosen[own] = static_cast<uint32_t>(llvm::min_element(values) - values.begin());
    labels[state.order[own]] = chosen[own];
  }
  return labels;
}

/// Sweeps forwards and backwards; marks labels in the backward sweep.
int64_t Ascent::sweepTwice() {
  auto clamp = [](__int128 boundPs) { return static_cast<int64_t>(std::clamp<__int128>(boundPs, -large, large)); };
  int64_t forwardPs = clamp(sweep(true));
  // Each message is rounded.
  int64_t rounding = int64_t(16 * (state.edges.size() + state.variables.size()));
  if (options.knownPs < INT64_MAX && !options.isRounded)
    dropped = std::max<int64_t>(options.knownPs - forwardPs, 0) + rounding;
  int64_t backwardPs = clamp(sweep(false));
  dropped = INT64_MAX;
  return backwardPs;
}

PairwiseBound Ascent::run() {
  constexpr uint32_t numFirst = 1, maxSweeps = 400;
  Gradient gradient;
  PairwiseBound result;
  int64_t goal =
      options.knownPs == INT64_MAX ? INT64_MAX : options.knownPs - options.knownPs / 1'000'000 * options.gapPpm;
  applyMultipliers();
  for (; result.numSweeps < maxSweeps && work < options.work && best < goal; ++result.numSweeps) {
    if (!state.findMatrices([&] { return isOver(); }))
      break;
    int64_t boundPs = sweepTwice();
    if (isOver())
      break;
    if (options.isRounded && boundPs >= best)
      result.labels = round();
    best = std::max(best, boundPs);
    if (result.numSweeps < numFirst)
      continue;
    trace(gradient);
    addPoint();
    gradient.points.resize(points.size(), 0);
    if (!state.dropLabels()) {
      // No better choice is left.
      best = options.knownPs;
      break;
    }
    ascend(gradient);
    applyMultipliers();
  }
  result.timePs = std::min(best, options.knownPs);
  result.work = work;
  return result;
}

PairwiseBound computePairwiseBound(PairwiseProblem problem, const PairwiseOptions &options) {
  return Ascent(std::move(problem), options).run();
}

} // namespace partita::search
