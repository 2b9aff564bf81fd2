//===- ShardingTable.cpp - least times between a tensor's shardings -------===//

#include "partita/Search/Bound/ShardingTable.h"

#include "partita/Cost/ReshardPlanPrice.h"

#include "llvm/ADT/STLExtras.h"

#include <queue>

namespace partita::search {

uint64_t ShardingTable::countCodes(size_t rank, size_t numAxes) {
  uint64_t count = 1;
  for (size_t axis = 0; axis < numAxes && count <= maxCodes; ++axis)
    count *= rank + 2;
  return count;
}

std::vector<int64_t> ShardingTable::listBytes(const CostModel &model, llvm::ArrayRef<int64_t> shape,
                                              uint32_t elementBits) {
  const Axes &axes = model.getAxes();
  auto base = static_cast<uint32_t>(shape.size()) + 2;
  std::vector<int64_t> list(countCodes(shape.size(), axes.size()));
  llvm::SmallVector<int64_t, 8> parts(base);
  for (ShardingCode code = 0; code < list.size(); ++code) {
    parts.assign(base, 1);
    ShardingCode rest = code;
    for (AxisId axis : idRange<AxisId>(axes.size())) {
      parts[rest % base] *= axes[axis].size;
      rest /= base;
    }
    int64_t bits = elementBits;
    bool divides = true;
    for (uint32_t dim = 0; dim < shape.size(); ++dim) {
      divides &= shape[dim] % parts[dim + 1] == 0;
      bits *= shape[dim] / parts[dim + 1];
    }
    list[code] = divides ? (bits + 7) / 8 : -1;
  }
  return list;
}

ShardingTable::ShardingTable(const CostModel &model, PermutePrices &permutes, size_t rank, std::vector<int64_t> list)
    : model(model), permutes(permutes), numAxes(static_cast<uint32_t>(model.getAxes().size())),
      base(static_cast<uint32_t>(rank) + 2), numCodes(static_cast<uint32_t>(list.size())), bytes(std::move(list)),
      partials(numCodes, 0), divisions(numCodes), steps(numCodes), times(numCodes), onePlan(*this) {
  uint32_t power = 1;
  for (uint32_t axis = 0; axis < numAxes; ++axis, power *= base)
    powers.push_back(power);
  for (ShardingCode code = 0; code < numCodes; ++code)
    partials[code] = findAxes(code, getPartialDigit()) != 0;
  findPermuted();
}

void ShardingTable::findPermuted() {
  std::map<std::vector<int64_t>, uint32_t> numbers;
  for (ShardingCode code = 0; code < numCodes; ++code) {
    if (!divides(code))
      continue;
    std::vector<int64_t> division{findAxes(code, getPartialDigit())};
    for (uint32_t digit = 1; digit < getPartialDigit(); ++digit)
      division.push_back(countParts(code, digit));
    auto number = static_cast<uint32_t>(permuted.size());
    divisions[code] = numbers.try_emplace(std::move(division), number).first->second;
    if (divisions[code] == number)
      permuted.emplace_back();
    permuted[divisions[code]].push_back(code);
  }
}

uint32_t ShardingTable::findAxes(ShardingCode code, uint32_t digit) const {
  uint32_t axes = 0;
  for (AxisId axis : idRange<AxisId>(numAxes))
    axes |= uint32_t(getDigit(code, axis) == digit) << axis.get();
  return axes;
}

int64_t ShardingTable::countParts(ShardingCode code, uint32_t digit) const {
  int64_t parts = 1;
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (getDigit(code, axis) == digit)
      parts *= model.getAxes()[axis].size;
  return parts;
}

ShardingCode ShardingTable::setDigits(ShardingCode code, uint32_t axes, uint32_t digit) const {
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (axes >> axis.get() & 1)
      code += getCode(digit, axis) - getCode(getDigit(code, axis), axis);
  return code;
}

int64_t ShardingTable::price(CollectiveKind kind, uint32_t axes, int64_t payloadBytes) {
  auto [entry, isNew] = prices.try_emplace({kind, axes, payloadBytes}, 0);
  if (isNew) {
    ReshardStep step;
    step.kind = kind;
    step.payloadBytes = payloadBytes;
    for (AxisId axis : idRange<AxisId>(numAxes))
      if (axes >> axis.get() & 1)
        step.axes.push_back(axis);
    entry->second = priceStep(model, step).timePs;
  }
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Adds all_gather and all_to_all of each set of axes on one dim.
void ShardingTable::addGathers(ShardingCode from, uint32_t digit) {
  uint32_t all = findAxes(from, digit);
  for (uint32_t axes = all; axes != 0; axes = (axes - 1) & all) {
    ShardingCode gathered = setDigits(from, axes, 0);
    steps[from].push_back({gathered, price(CollectiveKind::AllGather, axes, bytes[gathered]), noReduction});
    for (uint32_t toDigit = 1; toDigit < getPartialDigit(); ++toDigit)
      if (ShardingCode to = setDigits(from, axes, toDigit); toDigit != digit && divides(to))
        steps[from].push_back({to, price(CollectiveKind::AllToAll, axes, bytes[from]), noReduction});
  }
}

/// Adds all_reduce and reduce_scatter of each set of partial axes.
void ShardingTable::addReductions(ShardingCode from) {
  uint32_t all = findAxes(from, getPartialDigit());
  for (uint32_t axes = all; axes != 0; axes = (axes - 1) & all) {
    steps[from].push_back({setDigits(from, axes, 0), price(CollectiveKind::AllReduce, axes, bytes[from]), 0});
    for (uint32_t digit = 1; digit < getPartialDigit(); ++digit)
      if (ShardingCode to = setDigits(from, axes, digit); divides(to))
        steps[from].push_back({to, price(CollectiveKind::ReduceScatter, axes, bytes[from]), digit});
  }
}

Sharding ShardingTable::getSharding(ShardingCode code) const {
  Sharding sharding(base - 2);
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (uint32_t digit = getDigit(code, axis); digit != 0 && digit != getPartialDigit())
      sharding.dims[digit - 1].push_back(axis);
  return sharding;
}

/// Adds permutes: other axes on the dims, equally many parts of each.
void ShardingTable::addPermutes(ShardingCode from) {
  const std::vector<ShardingCode> &like = permuted[divisions[from]];
  if (like.size() == 1)
    return;
  Sharding sharding = getSharding(from);
  for (ShardingCode to : like)
    if (to != from)
      steps[from].push_back({to, permutes.computeLeast(sharding, getSharding(to), bytes[from]), noReduction});
}

void ShardingTable::addSteps(ShardingCode from) {
  for (AxisId axis : idRange<AxisId>(numAxes))
    if (getDigit(from, axis) == 0)
      for (uint32_t digit = 1; digit < getPartialDigit(); ++digit)
        if (ShardingCode to = from + getCode(digit, axis); divides(to))
          steps[from].push_back({to, 0, noReduction});
  for (uint32_t digit = 1; digit < getPartialDigit(); ++digit)
    addGathers(from, digit);
  addReductions(from);
  addPermutes(from);
}

const std::vector<ShardingTable::Step> &ShardingTable::getSteps(ShardingCode from) {
  if (steps[from].empty())
    addSteps(from);
  return steps[from];
}

/// Shortest paths over codes; for one plan, with the digit of the last step if that was a reduction. After the last
/// reduction the rest of the path is that of a sharding that is not partial.
std::vector<int64_t> ShardingTable::computeTimes(ShardingCode from, bool isOnePlan) {
  uint32_t numLast = isOnePlan ? base : 1, none = numLast - 1;
  std::vector<int64_t> least(size_t(numCodes) * numLast, noWay);
  // The time, and the state in the lowest bits.
  constexpr int stateBits = 20;
  std::priority_queue<uint64_t, std::vector<uint64_t>, std::greater<>> queue;
  least[from * numLast + none] = 0;
  queue.push(from * numLast + none);
  while (!queue.empty()) {
    auto timePs = static_cast<int64_t>(queue.top() >> stateBits);
    auto state = static_cast<uint32_t>(queue.top() & ((1u << stateBits) - 1));
    queue.pop();
    if (timePs > least[state])
      continue;
    for (const Step &step : getSteps(state / numLast)) {
      uint32_t last = isOnePlan && step.reduction != noReduction ? step.reduction : none;
      if (last != none && last == state % numLast)
        continue;
      uint32_t next = step.to * numLast + last;
      int64_t nextPs = std::min(maxTime, timePs + step.timePs);
      if (nextPs >= least[next])
        continue;
      least[next] = nextPs;
      if (isPartial(step.to) == isPartial(from))
        queue.push(uint64_t(nextPs) << stateBits | next);
    }
  }
  std::vector<int64_t> row(numCodes, noWay);
  for (uint32_t state = 0; state < least.size(); ++state)
    row[state / numLast] = std::min(row[state / numLast], least[state]);
  if (isPartial(from))
    addWholeTimes(row);
  return row;
}

void ShardingTable::addWholeTimes(std::vector<int64_t> &row) {
  std::vector<std::pair<int64_t, ShardingCode>> reached;
  for (ShardingCode code = 0; code < numCodes; ++code)
    if (!isPartial(code) && row[code] != noWay) {
      reached.push_back({row[code], code});
      row[code] = noWay;
    }
  llvm::sort(reached);
  for (auto [timePs, code] : reached) {
    // A code that is reached as early through another sharding cannot improve any path.
    if (row[code] <= timePs)
      continue;
    const int64_t *rest = getTimes(code);
    for (ShardingCode to = 0; to < numCodes; ++to)
      if (rest[to] != noWay)
        row[to] = std::min(row[to], std::min(maxTime, timePs + rest[to]));
  }
}

const int64_t *ShardingTable::getTimes(ShardingCode from) {
  if (times[from].empty())
    times[from] = computeTimes(from, false);
  return times[from].data();
}

const int64_t *ShardingTable::OnePlan::getTimes(uint32_t from) {
  // With more axes, the planner does not guarantee the least plan.
  constexpr uint32_t maxAxes = 4;
  if (!table.isPartial(from) || table.numAxes > maxAxes)
    return table.getTimes(from);
  if (times[from].empty())
    times[from] = table.computeTimes(from, true);
  return times[from].data();
}

ShardingTable *ShardingTables::find(CellId cell) {
  if (ofCells[cell])
    return *ofCells[cell];
  const Graph &graph = model.getGraph();
  llvm::ArrayRef<int64_t> shape = graph.getShape(cell);
  if (ShardingTable::countCodes(shape.size(), model.getAxes().size()) > ShardingTable::maxCodes)
    return *(ofCells[cell] = nullptr);
  ShardingTable *&known = ofShapes[{shape.vec(), graph.cells[cell].elementBits}];
  if (!known) {
    std::vector<int64_t> bytes = ShardingTable::listBytes(model, shape, graph.cells[cell].elementBits);
    std::unique_ptr<ShardingTable> &table = tables[bytes];
    if (!table)
      table = std::make_unique<ShardingTable>(model, permutes, shape.size(), std::move(bytes));
    known = table.get();
  }
  return *(ofCells[cell] = known);
}

} // namespace partita::search
