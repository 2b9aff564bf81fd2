//===- PairwiseSweeps.cpp - messages along the edges ----------------------===//

#include "partita/Search/Bound/PairwiseAscent.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

/// Sets `values` to the variable's own costs plus messages, minus their minimum, which is returned; and `shares` of
/// them.
int64_t PairwiseAscent::collect(const VariableState &variable) {
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
void PairwiseAscent::computeFrom(const EdgeEnd &own) {
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

/// The time between shardings, by their numbers at the two ends.
double PairwiseAscent::getTime(const EdgeState &edge, size_t source, size_t target) {
  if (edge.matrix)
    return edge.matrix->bySource[source * edge.matrix->numTarget + target];
  return ReshardTimeMatrix::getTime(*edge.times, edge.ends[0].shardings[source], edge.ends[1].shardings[target]);
}

/// The weight of the time from each sharding of the source.
void PairwiseAscent::computeShardingWeights(const EdgeState &edge) {
  auto convert = [](int64_t weight) {
    return std::max(double(weight) / double(EdgeWeight::unit), ReshardTimeMatrix::leastWeight);
  };
  double whole = convert(edge.wholeWeight), partial = convert(edge.partialWeight);
  const std::vector<uint32_t> &shardings = edge.ends[0].shardings;
  shardingWeights.resize(shardings.size());
  auto isPartial = [&](size_t number) {
    if (edge.matrix)
      return edge.matrix->isPartial[number] != 0;
    return shardings[number] != ReshardTimes::anySharding && edge.times->isPartial(shardings[number]);
  };
  for (size_t sharding = 0; sharding < shardings.size(); ++sharding)
    shardingWeights[sharding] = isPartial(sharding) ? partial : whole;
}

void PairwiseAscent::spreadTimes(const EdgeState &edge, uint8_t end, std::vector<double> &to) const {
  to.resize(edge.ends[1 - end].shardings.size());
  if (edge.matrix)
    edge.matrix->spread(end, shardingWeights, from, to);
  else
    ReshardTimeMatrix::spread(*edge.times, edge.ends[0].shardings, edge.ends[1].shardings, end, shardingWeights, from,
                              to);
}

/// Sets `to`: for each sharding at the other end, the least sum of `from` and the cost between.
void PairwiseAscent::spread(const EdgeState &edge, uint8_t end) {
  computeShardingWeights(edge);
  work += int64_t(edge.ends[0].shardings.size()) * int64_t(edge.ends[1].shardings.size());
  spreadTimes(edge, end, to);
  if (edge.memoryWeight == 0)
    return;
  // A minimum over min(b, b) is the smaller of the minima with the one and with the other.
  const std::vector<int64_t> &ownMemory = edge.ends[end].memory, &otherMemory = edge.ends[1 - end].memory;
  for (size_t sharding = 0; sharding < from.size(); ++sharding)
    from[sharding] += double(ownMemory[sharding]);
  spreadTimes(edge, end, other);
  for (size_t sharding = 0; sharding < to.size(); ++sharding)
    to[sharding] = std::min(to[sharding] + double(otherMemory[sharding]), other[sharding]);
}

/// Sends a message along one edge: the least cost for each sharding of the other end, minus the minimum, which is
/// returned.
int64_t PairwiseAscent::send(uint32_t number, uint8_t end) {
  EdgeState &edge = state.edges[number];
  EdgeEnd &other = edge.ends[1 - end];
  computeFrom(edge.ends[end]);
  spread(edge, end);
  int64_t least = ReshardTimeMatrix::roundDown(*llvm::min_element(to));
  // `never` is more than any relevant choice takes; `mostSent` the largest sum of messages to a variable.
  constexpr int64_t mostSent = int64_t(1) << 60;
  int64_t never = 2 * std::min(knownPs, int64_t(1) << 52);
  int64_t most = std::min(16 * never, mostSent / int64_t(state.variables[other.variable].edges.size()));
  for (size_t sharding = 0; sharding < to.size(); ++sharding)
    other.sent[sharding] = std::min(ReshardTimeMatrix::roundDown(to[sharding]) - least, most);
  return least;
}

/// Marks labels with which no choice is better than the known one. The previous sweep gave a bound; with the label it
/// rises by the label's distance from the least.
void PairwiseAscent::markLabels(VariableState &variable) const {
  if (llvm::none_of(values, [&](int64_t value) { return value >= dropped; }))
    return;
  variable.isDropped.resize(values.size(), 0);
  for (size_t label = 0; label < values.size(); ++label)
    variable.isDropped[label] |= values[label] >= dropped;
}

/// Eliminates variables one by one: shares of a variable's values go along its edges to the remaining ones, at most all
/// of them. The sum of what is subtracted is a bound of the whole.
__int128 PairwiseAscent::sweep(bool isForward) {
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
/// Sweeps forwards and backwards; marks labels in the backward sweep.
int64_t PairwiseAscent::sweepTwice() {
  auto clamp = [](__int128 boundPs) { return static_cast<int64_t>(std::clamp<__int128>(boundPs, -large, large)); };
  int64_t forwardPs = clamp(sweep(true));
  // Each message is rounded.
  int64_t rounding = int64_t(16 * (state.edges.size() + state.variables.size()));
  if (knownPs < INT64_MAX)
    dropped = std::max<int64_t>(knownPs - forwardPs, 0) + rounding;
  int64_t backwardPs = clamp(sweep(false));
  dropped = INT64_MAX;
  return backwardPs;
}

} // namespace partita::search
