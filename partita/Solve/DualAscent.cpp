//===- DualAscent.cpp - a lower bound by messages and multipliers ---------===//

#include "partita/Solve/DualAscent.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <tuple>
#include <utility>

namespace partita::solve {

/// Steps aim at a level above the best bound. After so many iterations without reaching half of it, the level is
/// lowered and the multipliers go back to the best; where it is reached, it is raised.
static constexpr unsigned patience = 15;
static constexpr double lowering = 0.5, raising = 1.5;
/// The first level, as a share of the bound, and the least.
static constexpr double firstLevel = 0.05, leastLevel = 1e-7;
/// The share of the last direction in the next one.
static constexpr double momentum = 0.5;
/// In each of so many blocks of rows, the row that is most exceeded takes part from then on.
static constexpr size_t numBlocks = 16;
/// The least level of a dive.
static constexpr double diveLevel = 0.002;

DualAscent::DualAscent(const ReducedProblem &reduced, const UsageRows &rows)
    : reduced(reduced), rows(rows), ends(reduced.buildPairEnds()), numEarlier(reduced.variables.size()),
      numLater(reduced.variables.size()), unary(reduced.variables.size()), lambdas(rows.size()), isActive(rows.size()),
      profile(rows.size() + 1), direction(rows.size()) {
  size_t place = 0;
  for (uint32_t pair = 0; pair < reduced.pairs.size(); ++pair) {
    auto [first, second] = reduced.pairs[pair].variables;
    ++(first < second ? numLater : numEarlier)[first];
    ++(second < first ? numLater : numEarlier)[second];
    size_t numFirst = reduced.variables[first].costs.size(), numSecond = reduced.variables[second].costs.size();
    places.push_back({place, place + numFirst});
    place += numFirst + numSecond;
    work += 2 * static_cast<int64_t>(reduced.pairs[pair].costs.size());
  }
  messages.assign(place, 0);
  std::vector<float> all;
  for (const PairCosts &pair : reduced.pairs) {
    roundedPlaces.push_back(all.size());
    for (double cost : pair.costs) {
      float near = static_cast<float>(cost);
      all.push_back(static_cast<double>(near) > cost ? std::nextafterf(near, -HUGE_VALF) : near);
    }
  }
  rounded = std::make_shared<const std::vector<float>>(std::move(all));
}

void DualAscent::computeUnary() {
  std::vector<double> sums(rows.size() + 1, 0);
  for (size_t row = 0; row < rows.size(); ++row)
    sums[row + 1] = sums[row] + lambdas[row];
  for (size_t variable = 0; variable < unary.size(); ++variable) {
    unary[variable] = reduced.variables[variable].costs;
    for (uint32_t item = rows.starts[variable]; item < rows.starts[variable + 1]; ++item) {
      const UsageItem &used = rows.items[item];
      double weight = sums[used.last] - sums[used.first];
      if (weight > 0)
        for (size_t label = 0; label < used.amounts.size(); ++label)
          unary[variable][label] += weight * used.amounts[label];
    }
    if (!isBlocked.empty())
      for (size_t label = 0; label < unary[variable].size(); ++label)
        if (isBlocked[variable][label])
          unary[variable][label] = infinite;
  }
}

double DualAscent::collect(uint32_t variable, std::vector<double> &into) const {
  into.assign(unary[variable].begin(), unary[variable].end());
  for (const PairEnd &end : ends[variable]) {
    const double *message = &messages[places[end.pair][end.isFirst ? 0 : 1]];
    for (size_t label = 0; label < into.size(); ++label)
      into[label] += message[label];
  }
  double least = *std::min_element(into.begin(), into.end());
  for (double &value : into)
    value -= least;
  return least;
}

double DualAscent::send(uint32_t pair, bool fromFirst, double share) {
  const PairCosts &costs = reduced.pairs[pair];
  size_t numFirst = reduced.variables[costs.variables[0]].costs.size(), numSecond = costs.costs.size() / numFirst;
  const double *back = &messages[places[pair][fromFirst ? 0 : 1]];
  double *forth = &messages[places[pair][fromFirst ? 1 : 0]];
  sent.resize(values.size());
  for (size_t label = 0; label < values.size(); ++label)
    sent[label] = values[label] >= infinite / 2 ? infinite : share * values[label] - back[label];
  size_t numForth = fromFirst ? numSecond : numFirst;
  const float *row = rounded->data() + roundedPlaces[pair];
  if (fromFirst) {
    std::fill(forth, forth + numForth, infinite);
    for (size_t first = 0; first < numFirst; ++first, row += numSecond)
      if (sent[first] < infinite / 2)
        for (size_t second = 0; second < numSecond; ++second)
          forth[second] = std::min(forth[second], sent[first] + row[second]);
  } else {
    for (size_t first = 0; first < numFirst; ++first, row += numSecond) {
      double least[4] = {infinite, infinite, infinite, infinite};
      size_t second = 0;
      for (; second + 4 <= numSecond; second += 4)
        for (size_t lane = 0; lane < 4; ++lane)
          least[lane] = std::min(least[lane], sent[second + lane] + row[second + lane]);
      for (; second < numSecond; ++second)
        least[0] = std::min(least[0], sent[second] + row[second]);
      forth[first] = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
    }
  }
  double least = *std::min_element(forth, forth + numForth);
  for (size_t label = 0; label < numForth; ++label)
    forth[label] -= least;
  return least;
}

double DualAscent::sweepForwards() {
  double bound = 0;
  for (uint32_t variable = 0; variable < ends.size(); ++variable) {
    bound += collect(variable, values);
    double share = 1.0 / std::max({numEarlier[variable], numLater[variable], 1u});
    for (const PairEnd &end : ends[variable])
      if (end.other > variable)
        bound += send(end.pair, end.isFirst, share);
  }
  return bound;
}

double DualAscent::sweepBackwards() {
  double bound = 0;
  for (uint32_t variable = ends.size(); variable-- > 0;) {
    bound += collect(variable, values);
    note(variable);
    double share = 1.0 / std::max({numEarlier[variable], numLater[variable], 1u});
    for (const PairEnd &end : ends[variable])
      if (end.other < variable)
        bound += send(end.pair, end.isFirst, share);
  }
  return bound;
}

/// Adds the usage of the variable's best labels.
void DualAscent::note(uint32_t variable) {
  if (rows.starts[variable] == rows.starts[variable + 1])
    return;
  size_t label = std::min_element(values.begin(), values.end()) - values.begin();
  for (uint32_t item = rows.starts[variable]; item < rows.starts[variable + 1]; ++item) {
    const UsageItem &used = rows.items[item];
    profile[used.first] += used.amounts[label];
    profile[used.last] -= used.amounts[label];
  }
}

void DualAscent::activate(const std::vector<double> &excess) {
  size_t blockSize = rows.size() / numBlocks + 1;
  for (size_t begin = 0; begin < rows.size(); begin += blockSize) {
    size_t end = std::min(begin + blockSize, rows.size());
    size_t worst = std::max_element(excess.begin() + begin, excess.begin() + end) - excess.begin();
    if (excess[worst] > 0)
      isActive[worst] = 1;
  }
}

void DualAscent::ascend(double bound) {
  std::vector<double> &excess = profile;
  double usage = 0, norm = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    usage += profile[row];
    excess[row] = usage - rows.capacities[row];
  }
  activate(excess);
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!isActive[row])
      continue;
    direction[row] = momentum * direction[row] + (1 - momentum) * excess[row];
    if (lambdas[row] > 0 || direction[row] > 0)
      norm += direction[row] * direction[row];
  }
  if (norm == 0)
    return;
  double step = std::min(base + level - bound, 2 * level) / norm;
  for (size_t row = 0; row < rows.size(); ++row)
    if (isActive[row])
      lambdas[row] = std::max(0.0, lambdas[row] + step * direction[row]);
}

/// Sets the level that the next steps aim at.
void DualAscent::adjustLevel(double bound) {
  if (numIterations == numWarmup) {
    level = firstLevel * std::max(std::abs(best), 1.0);
    base = best;
  }
  if (bound >= base + level / 2) {
    base = best;
    level *= raising;
    stalled = 0;
  } else if (++stalled >= patience) {
    base = best;
    level = std::max(level * lowering, leastLevel * std::max(std::abs(best), 1.0));
    lambdas = bestLambdas;
    messages = bestMessages;
    std::fill(direction.begin(), direction.end(), 0);
    stalled = 0;
  }
}

void DualAscent::iterate() {
  computeUnary();
  std::fill(profile.begin(), profile.end(), 0);
  sweepForwards();
  double bound = sweepBackwards() + reduced.constant;
  for (size_t row = 0; row < rows.size(); ++row)
    bound -= lambdas[row] * rows.capacities[row];
  if (bound > best) {
    best = bound;
    bestLambdas = lambdas;
    bestMessages = messages;
  }
  // First the messages settle.
  if (++numIterations < numWarmup)
    return;
  adjustLevel(bound);
  ascend(bound);
}

/// What is left of the rows while labels are chosen.
class RowRemainder {
public:
  explicit RowRemainder(const UsageRows &rows) : rows(rows), left(rows.capacities), changes(rows.size() + 1) {}

  /// How far the label goes beyond what is left, at most.
  double computeExcess(uint32_t variable, uint32_t label) {
    size_t first = rows.size(), last = 0;
    forEachAmount(variable, label, [&](const UsageItem &item, double amount) {
      changes[item.first] += amount;
      changes[item.last] -= amount;
      first = std::min<size_t>(first, item.first);
      last = std::max<size_t>(last, item.last);
    });
    double sum = 0, worst = 0;
    for (size_t row = first; row < last; ++row) {
      sum += changes[row];
      worst = std::max(worst, sum - left[row]);
      changes[row] = 0;
    }
    changes[last] = 0;
    return worst;
  }

  void take(uint32_t variable, uint32_t label) {
    forEachAmount(variable, label, [&](const UsageItem &item, double amount) {
      for (size_t row = item.first; row < item.last; ++row)
        left[row] -= amount;
    });
  }

private:
  template <typename Function> void forEachAmount(uint32_t variable, uint32_t label, Function function) {
    for (uint32_t number = rows.starts[variable]; number < rows.starts[variable + 1]; ++number)
      if (double amount = rows.items[number].amounts[label]; amount > 0)
        function(rows.items[number], amount);
  }

  const UsageRows &rows;
  std::vector<double> left, changes;
};

/// The label of least cost that fits; if none does, the one that exceeds least.
static uint32_t chooseFitting(RowRemainder &remainder, uint32_t variable, const std::vector<double> &costs) {
  std::vector<uint32_t> order(costs.size());
  for (uint32_t label = 0; label < order.size(); ++label)
    order[label] = label;
  llvm::sort(order, [&](uint32_t a, uint32_t b) { return std::tie(costs[a], a) < std::tie(costs[b], b); });
  uint32_t least = order.front();
  double leastExcess = infinite;
  for (uint32_t label : order) {
    if (costs[label] >= infinite / 2)
      break;
    double excess = remainder.computeExcess(variable, label);
    if (excess <= 0)
      return label;
    if (excess < leastExcess) {
      leastExcess = excess;
      least = label;
    }
  }
  return least;
}

Labels DualAscent::decode(bool isWithin) const {
  RowRemainder remainder(rows);
  Labels labels(ends.size(), 0);
  std::vector<double> costs;
  for (uint32_t variable = 0; variable < ends.size(); ++variable) {
    costs = unary[variable];
    for (const PairEnd &end : ends[variable]) {
      if (end.other > variable) {
        const double *message = &messages[places[end.pair][end.isFirst ? 0 : 1]];
        for (size_t label = 0; label < costs.size(); ++label)
          costs[label] += message[label];
        continue;
      }
      const std::vector<double> &pair = reduced.pairs[end.pair].costs;
      size_t numOthers = pair.size() / costs.size();
      for (size_t label = 0; label < costs.size(); ++label)
        costs[label] +=
            pair[end.isFirst ? label * numOthers + labels[end.other] : labels[end.other] * costs.size() + label];
    }
    if (isWithin) {
      labels[variable] = chooseFitting(remainder, variable, costs);
      remainder.take(variable, labels[variable]);
    } else {
      labels[variable] = std::min_element(costs.begin(), costs.end()) - costs.begin();
    }
  }
  return labels;
}

//===----------------------------------------------------------------------===//
// Diving
//===----------------------------------------------------------------------===//

void DualAscent::fix(uint32_t variable, uint32_t label) {
  if (isBlocked.empty())
    for (const ChoiceVariable &each : reduced.variables)
      isBlocked.emplace_back(each.costs.size(), 0);
  std::fill(isBlocked[variable].begin(), isBlocked[variable].end(), 1);
  isBlocked[variable][label] = 0;
  for (const PairEnd &end : ends[variable]) {
    const std::vector<double> &pair = reduced.pairs[end.pair].costs;
    std::vector<uint8_t> &others = isBlocked[end.other];
    size_t numOwn = isBlocked[variable].size();
    for (size_t other = 0; other < others.size(); ++other)
      if (pair[end.isFirst ? label * others.size() + other : other * numOwn + label] >= infinite / 2)
        others[other] = 1;
  }
}

/// Those whose second-best label is furthest behind the best.
std::vector<uint32_t> DualAscent::chooseNext(const std::vector<uint32_t> &open, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::pair<double, uint32_t>> losses;
  for (uint32_t variable : open) {
    collect(variable, values);
    double best = infinite, second = infinite;
    for (double value : values)
      if (value < best)
        second = std::exchange(best, value);
      else
        second = std::min(second, value);
    double factor = 0.25 + static_cast<double>(random() >> 11) * 0x1p-53;
    losses.push_back({-(second - best) * factor, variable});
  }
  count = std::min(count, losses.size());
  std::partial_sort(losses.begin(), losses.begin() + static_cast<ptrdiff_t>(count), losses.end());
  std::vector<uint32_t> chosen;
  for (size_t number = 0; number < count; ++number)
    chosen.push_back(losses[number].second);
  return chosen;
}

void DualAscent::blockOversized(uint32_t variable, RowRemainder &remainder) {
  std::vector<uint8_t> &blocked = isBlocked[variable];
  std::vector<uint8_t> fits(blocked.size(), 0);
  for (uint32_t label = 0; label < blocked.size(); ++label)
    fits[label] = !blocked[label] && remainder.computeExcess(variable, label) <= 0;
  // Where nothing fits, what exceeds least is chosen in the end.
  if (llvm::is_contained(fits, 1))
    for (uint32_t label = 0; label < blocked.size(); ++label)
      blocked[label] |= !fits[label];
}

std::optional<Labels> DualAscent::dive(uint64_t seed, double share, const std::function<bool()> &isOver) {
  Labels labels(ends.size(), 0);
  RowRemainder remainder(rows);
  std::vector<uint32_t> open;
  for (uint32_t variable = 0; variable < ends.size(); ++variable)
    open.push_back(variable);
  std::vector<uint8_t> isFixed(ends.size(), 0);
  while (!open.empty()) {
    level = std::max(level, diveLevel * std::max(std::abs(best), 1.0));
    for (unsigned iteration = 0; iteration < diveIterations; ++iteration) {
      if (isOver && isOver())
        return std::nullopt;
      iterate();
    }
    size_t count = 1 + static_cast<size_t>(share * static_cast<double>(open.size()));
    for (uint32_t variable : chooseNext(open, count, ++seed)) {
      collect(variable, values);
      for (size_t label = 0; label < values.size(); ++label)
        if (!isBlocked.empty() && isBlocked[variable][label])
          values[label] = infinite;
      if (*std::min_element(values.begin(), values.end()) >= infinite / 2)
        return std::nullopt;
      labels[variable] = chooseFitting(remainder, variable, values);
      remainder.take(variable, labels[variable]);
      fix(variable, labels[variable]);
      isFixed[variable] = 1;
    }
    llvm::erase_if(open, [&](uint32_t variable) { return isFixed[variable]; });
    for (uint32_t variable : open) {
      if (isOver && isOver())
        return std::nullopt;
      blockOversized(variable, remainder);
    }
  }
  return labels;
}

} // namespace partita::solve
