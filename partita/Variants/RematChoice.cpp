//===- RematChoice.cpp - proposes values to recompute or to keep ----------===//

#include "partita/Variants/RematChoice.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

double RematPrice::getBytes() const {
  double bytes = 0;
  for (const Range &range : ranges)
    bytes += range.bytes;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

/// The time of each op, over all its executions, with the reshards behind and before it.
static IdVector<OpId, int64_t> sumOpTimes(const Price &price) {
  IdVector<OpId, int64_t> times(price.plan.getGraph().ops.size(), 0);
  for (const OpTime &op : price.times.ops)
    times[op.op] += op.timePs;
  for (const ReshardLine &line : price.report.reshards)
    if (line.op.isValid() && !line.isOverlapped)
      times[line.op] += line.timePs;
  return times;
}

static double computeLocalBytes(const Plan &plan, CellId cell) {
  auto bytes = double(plan.getGraph().getBytes(cell));
  for (const DimAxes &axes : plan.assignment.getCellSharding(cell).dims)
    for (AxisId axis : axes)
      bytes /= double(plan.axes[axis].size);
  return bytes;
}

/// Whether a loop makes the values, and keeps them as slices of a stack.
static bool isStacked(const Graph &graph, const RematClass &known) {
  return known.copies > 1 || (!known.cells.empty() && graph.cells[known.cells[0]].kind == CellKind::Carried);
}

/// The time in which a device writes and reads its piece of a stack.
static double computeStackPs(const Price &price, double bytes, int64_t numSlices) {
  const OpPricer &pricer = price.model.getOpPricer();
  return double(pricer.computeMemoryPs(int64_t(3 * bytes))) + double(2 * numSlices * pricer.getLaunchPs());
}

static void addRange(std::vector<double> &profile, const RematPrice::Range &range, double factor) {
  for (size_t point = range.first; point <= range.last && point < profile.size(); ++point)
    profile[point] += range.bytes * factor;
}

static void addClass(std::vector<double> &profile, const RematPrice &price, double factor) {
  for (const RematPrice::Range &range : price.ranges)
    addRange(profile, range, factor);
}

/// Joins neighboring points, of which the highest counts: a few hundred say as much as all ops of a large program.
static void joinPoints(RematPrices &prices) {
  constexpr size_t most = 512;
  size_t numPoints = prices.floor.size();
  if (numPoints <= most)
    return;
  auto join = [&](size_t point) { return std::min(point, numPoints - 1) * most / numPoints; };
  std::vector<double> joined(most, -std::numeric_limits<double>::infinity());
  for (auto [point, bytes] : llvm::enumerate(prices.floor))
    joined[join(point)] = std::max(joined[join(point)], bytes);
  prices.floor = std::move(joined);
  for (RematPrice &price : prices.classes)
    for (RematPrice::Range &range : price.ranges)
      range = {join(range.first), join(range.last), range.bytes};
}

RematPrices priceClasses(const Price &price, llvm::ArrayRef<RematClass> classes) {
  IdVector<OpId, int64_t> times = sumOpTimes(price);
  std::vector<int64_t> live = computeLiveBytes(price);
  RematPrices prices{{}, std::vector<double>(live.begin(), live.end()), double(price.report.memory.argumentBytes)};
  for (const RematClass &known : classes) {
    RematPrice &made = prices.classes.emplace_back(RematPrice{known.kind == RematKind::Recompute});
    for (auto [cell, alive] : llvm::zip_equal(known.cells, known.alive))
      made.ranges.push_back(
          {alive.first.get(), alive.second.get(), computeLocalBytes(price.plan, cell) * double(known.copies)});
    for (OpId op : known.cone)
      made.timePs += double(times[op]);
    if (isStacked(price.plan.getGraph(), known))
      made.timePs -= computeStackPs(price, made.getBytes(), known.numValues);
    if (made.isKeptByProgram)
      addClass(prices.floor, made, -1);
  }
  joinPoints(prices);
  return prices;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// The classes that may be kept, those with the most time for each byte first.
static std::vector<size_t> sortByTime(llvm::ArrayRef<RematPrice> prices) {
  std::vector<size_t> order;
  for (size_t i = 0; i < prices.size(); ++i)
    if (prices[i].isKeptByProgram || prices[i].timePs > 0)
      order.push_back(i);
  llvm::sort(order, [&](size_t a, size_t b) {
    double more = prices[a].timePs * prices[b].getBytes(), less = prices[b].timePs * prices[a].getBytes();
    return more != less ? more > less : a < b;
  });
  return order;
}

/// The floor with so many microbatches, moved so that the peak is the known one.
static std::vector<double> scaleFloor(const RematPrices &prices, const KnownPeak &known) {
  auto pieces = double(known.microbatches);
  std::vector<double> scaled;
  for (double bytes : prices.floor)
    scaled.push_back(prices.argumentBytes + (bytes - prices.argumentBytes) / pieces);
  std::vector<double> full = scaled;
  for (size_t number : known.kept)
    addClass(full, prices.classes[number], 1 / pieces);
  double offset = full.empty() ? 0 : known.peakBytes - *llvm::max_element(full);
  for (double &bytes : scaled)
    bytes += offset;
  return scaled;
}

std::optional<std::vector<size_t>> chooseKept(const RematPrices &prices, const KnownPeak &known, double limitBytes) {
  std::vector<double> profile = scaleFloor(prices, known);
  if (llvm::any_of(profile, [&](double bytes) { return bytes > limitBytes; }))
    return std::nullopt;
  std::vector<size_t> kept;
  for (size_t number : sortByTime(prices.classes)) {
    const RematPrice &price = prices.classes[number];
    std::vector<double> with = profile;
    addClass(with, price, 1 / double(known.microbatches));
    if (llvm::any_of(with, [&](double bytes) { return bytes > limitBytes; }))
      continue;
    profile = std::move(with);
    kept.push_back(number);
  }
  llvm::sort(kept);
  return kept;
}

} // namespace partita::variants
