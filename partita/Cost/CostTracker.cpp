//===- CostTracker.cpp - an assignment's cost, in full or by change -------===//

#include "partita/Cost/CostTracker.h"

#include "partita/Cost/CostSums.h"
#include "partita/Cost/IdSet.h"

#include <tuple>

namespace partita::cost {

Cost evaluateCost(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner) {
  return CostEvaluator(model, assignment, planner).evaluate();
}

//===----------------------------------------------------------------------===//
// In full
//===----------------------------------------------------------------------===//

struct CostEvaluator::State {
  State(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
      : assignment(assignment), cache(model, assignment, planner), sums(model), last(model.getUnits().size()),
        stale(last.size()) {
    setAllStale();
  }

  void setAllStale() {
    for (UnitId unit : idRange<UnitId>(last.size())) {
      last[unit] = PriceEntryId();
      stale.add(unit);
    }
  }

  const Assignment &assignment;
  PriceCache cache;
  CostSums sums;
  /// The last price entry of each unit.
  IdVector<UnitId, PriceEntryId> last;
  /// Units whose price entry must be looked up again.
  IdSet<UnitId> stale;
};

CostEvaluator::CostEvaluator(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
    : state(std::make_unique<State>(model, assignment, planner)) {}
CostEvaluator::~CostEvaluator() = default;
CostEvaluator::CostEvaluator(CostEvaluator &&) = default;

/// The most entries that are kept; with more, the next evaluation starts with an empty cache.
static constexpr size_t maxEvaluatorEntries = size_t(1) << 21;

Cost CostEvaluator::evaluate() {
  IdVector<UnitId, PriceEntryId> &last = state->last;
  PriceCache &cache = state->cache;
  IdSet<UnitId> &stale = state->stale;
  cache.getPairs().update(state->assignment);
  if (cache.size() > maxEvaluatorEntries) {
    cache.clear();
    state->setAllStale();
  }
  // A unit keeps its price if it depends on node states only and none of these has changed.
  for (UnitId unit : cache.getUnitsWithMore())
    stale.add(unit);
  cache.noteAll([&](UnitId unit) { stale.add(unit); });
  for (UnitId unit : cache.getUnitsWithMore())
    stale.add(unit);
  for (UnitId unit : stale.get())
    last[unit] = cache.find(unit, last[unit]);
  stale.clear();
  state->sums.assign(cache, last.raw());
  return state->sums.computeCost();
}

//===----------------------------------------------------------------------===//
// Incrementally
//===----------------------------------------------------------------------===//

struct CostTracker::State {
  State(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner, size_t maxEntries,
        SharedPriceCache *shared, const PiecePrices *pieces)
      : model(model), assignment(assignment), planner(planner), cache(model, assignment, planner, shared), sums(model),
        current(model.getUnits().size()), touchedUnits(current.size()), staleNodes(model.getTopology().getNumNodes()),
        seen(assignment.mark()), arePairsLoose(!cache.getPairs().isFixed()), maxEntries(maxEntries) {
    cache.getPricer().setPieces(pieces);
    for (UnitId unit : idRange<UnitId>(current.size()))
      current[unit] = cache.find(unit, PriceEntryId());
    sums.assign(cache, current.raw());
    cost = sums.computeCost();
  }

  void forgetEntries() {
    IdVector<PriceEntryId, uint8_t> isKept(cache.size(), 0);
    for (PriceEntryId id : current.raw())
      isKept[id] = 1;
    IdVector<PriceEntryId, PriceEntryId> renumbered = cache.keepOnly(isKept);
    for (UnitId unit : idRange<UnitId>(current.size()))
      current[unit] = renumbered[current[unit]];
    // Do not drop again before the cache has doubled.
    maxEntries = std::max(maxEntries, 2 * cache.size());
  }

  /// Marks these changes, done or undone, for the next update.
  void noteStale(llvm::ArrayRef<Change> changes) {
    for (const Change &change : changes) {
      if (change.kind != ChangeKind::Assign)
        noteStaleCell(change);
      else
        staleNodes.add(change.getNode());
    }
  }

  void noteStaleCell(const Change &change) {
    if (change.kind == ChangeKind::Pin)
      staleCells.push_back(change.getCell());
    if (change.kind == ChangeKind::Group)
      staleCells.push_back(model.getTopology().getRepresentative(model.getGraph().uses[change.getUse()]));
  }

  /// Prices the units whose node states or pins differ from those they were priced under.
  void updateStale() {
    // Note all states first: the price of a unit may depend on several nodes.
    cache.noteStates(staleNodes.get(), [this](UnitId unit) { touchedUnits.add(unit); });
    staleNodes.clear();
    for (CellId cell : staleCells)
      for (UnitId unit : model.getUnits().getUnits(cell)) {
        cache.notePinsAndGroups(unit);
        touchedUnits.add(unit);
      }
    staleCells.clear();
    bool arePairsTouched = false;
    for (UnitId unit : touchedUnits.get()) {
      if (arePairsLoose) {
        CellId cell = model.getUnits()[unit].cell;
        arePairsTouched |= cell.isValid() && cache.getPairs().matters(cell);
      }
      reprice(unit);
    }
    touchedUnits.clear();
    if (arePairsTouched)
      updatePairs();
  }

  /// Pairs donors again, and prices the results whose buffers have changed.
  void updatePairs() {
    std::vector<CellId> before = cache.getPairs().getLoosePairs();
    cache.getPairs().update(assignment);
    for (auto [result, old] : llvm::zip_equal(cache.getPairs().getLooseResults(), before))
      if (cache.getPairs().getArgument(result) != old)
        for (UnitId unit : model.getUnits().getUnits(model.getTopology().getRepresentative(result)))
          reprice(unit);
  }

  void reprice(UnitId unit) {
    PriceEntryId next = cache.find(unit, current[unit]);
    if (next == current[unit])
      return;
    sums.replace(cache, current[unit], next);
    current[unit] = next;
  }

  const CostModel &model;
  const Assignment &assignment;
  ReshardPlanner &planner;
  PriceCache cache;
  CostSums sums;
  IdVector<UnitId, PriceEntryId> current;
  /// Units that an update must price.
  IdSet<UnitId> touchedUnits;
  /// What may differ from what was priced: states of nodes; pins and use groups of cells.
  IdSet<NodeId> staleNodes;
  std::vector<CellId> staleCells;
  /// The length of the assignment's trail that is priced or noted as stale.
  size_t seen;
  bool arePairsLoose;
  size_t maxEntries;
  Cost cost;
};

/// So many prices are kept where the caller does not say.
static constexpr size_t defaultEntries = size_t(1) << 21;

CostTracker::CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
                         size_t maxEntries, SharedPriceCache *shared)
    : state(std::make_unique<State>(model, assignment, planner, maxEntries, shared, nullptr)) {}
CostTracker::CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
                         const PiecePrices *pieces)
    : state(std::make_unique<State>(model, assignment, planner, defaultEntries, nullptr, pieces)) {}
CostTracker::~CostTracker() = default;
CostTracker::CostTracker(CostTracker &&) = default;

const Cost &CostTracker::getCost() const { return state->cost; }

const Cost &CostTracker::update() {
  State &tracker = *state;
  assert(tracker.assignment.mark() >= tracker.seen && "the assignment was rolled back alone");
  if (tracker.cache.size() > tracker.maxEntries)
    tracker.forgetEntries();
  tracker.noteStale(tracker.assignment.getChanges(tracker.seen));
  tracker.seen = tracker.assignment.mark();
  tracker.updateStale();
  tracker.cost = tracker.sums.computeCost();
  return tracker.cost;
}

void CostTracker::rollback(size_t mark) {
  State &tracker = *state;
  assert(tracker.assignment.mark() >= tracker.seen && "the assignment was rolled back before");
  if (mark >= tracker.seen)
    return;
  tracker.noteStale(tracker.assignment.getChanges(mark).take_front(tracker.seen - mark));
  tracker.seen = mark;
}

//===----------------------------------------------------------------------===//
// For proposals
//===----------------------------------------------------------------------===//

/// The node of the unit's op, or of the definition of its value.
static NodeId findNode(const CostModel &model, const Unit &unit) {
  return unit.op.isValid() ? model.getTopology().getNode(unit.op) : model.getTopology().getSource(unit.cell);
}

std::vector<std::pair<NodeId, int64_t>> CostTracker::listNodesAtPeak() const {
  std::vector<std::pair<NodeId, int64_t>> list;
  if (state->cost.peakBytes == 0)
    return list;
  uint32_t peak = state->sums.findPeakPoint();
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    int64_t bytes = 0;
    for (const MemoryTerm &term : state->cache.getMemory(state->current[unit]))
      bytes += term.first <= peak && peak <= term.last ? term.bytes : 0;
    CellId cell = state->model.getUnits()[unit].cell;
    if (bytes == 0 || !cell.isValid())
      continue;
    if (NodeId node = state->model.getTopology().getSource(cell); node.isValid())
      list.emplace_back(node, bytes);
  }
  return list;
}

std::vector<std::pair<NodeId, int64_t>> CostTracker::listNodeTimes(bool withCompute) const {
  std::vector<std::pair<NodeId, int64_t>> list;
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    int64_t timePs = 0;
    for (const SumTerm &term : state->cache.getTimes(state->current[unit]))
      if (isTime(term.getKind()) && (withCompute || term.getKind() != TimeKind::Compute)) {
        int64_t count = state->model.getTimes(term.getSlot());
        timePs = std::min(maxTimePs, timePs + multiplySaturated(term.timePs, count));
      }
    if (timePs == 0)
      continue;
    if (NodeId node = findNode(state->model, state->model.getUnits()[unit]); node.isValid())
      list.emplace_back(node, timePs);
  }
  return list;
}

std::vector<AliveCell> CostTracker::listAtPeak() const {
  UnitPricer &pricer = state->cache.getPricer();
  std::vector<AliveCell> list;
  if (state->cost.peakBytes == 0)
    return list;
  state->sums.computeCost();
  uint32_t peak = state->sums.findPeakPoint();
  auto isAtPeak = [&](const auto &range) { return range.first <= peak && peak <= range.last; };
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    if (!llvm::any_of(state->cache.getMemory(state->current[unit]), isAtPeak))
      continue;
    for (const ValueCopy &copy : pricer.compute(unit).copies)
      for (const LiveRange &range : copy.ranges)
        if (isAtPeak(range))
          list.push_back({state->model.getUnits()[unit].cell, copy.bytes * range.count, copy.reshard.isValid()});
  }
  llvm::sort(list, [](const AliveCell &a, const AliveCell &b) {
    return std::tuple(-a.bytes, a.cell, a.isResharded) < std::tuple(-b.bytes, b.cell, b.isResharded);
  });
  return list;
}

std::vector<int64_t> CostTracker::listLiveBytes() const {
  UnitPricer &pricer = state->cache.getPricer();
  std::vector<int64_t> bytes(state->model.getLiveTimes().getNumPoints() + 1, 0);
  for (UnitId unit : idRange<UnitId>(state->current.size()))
    for (const ValueCopy &copy : pricer.compute(unit).copies)
      for (const LiveRange &range : copy.ranges) {
        bytes[range.first] += copy.bytes * range.count;
        bytes[range.last + 1] -= copy.bytes * range.count;
      }
  for (size_t point = 1; point < bytes.size(); ++point)
    bytes[point] += bytes[point - 1];
  bytes.pop_back();
  return bytes;
}

std::vector<OpTime> CostTracker::listOps() const {
  UnitPricer &pricer = state->cache.getPricer();
  std::vector<OpTime> list;
  IdVector<OpId, int64_t> times(state->model.getGraph().ops.size(), 0);
  auto isCompute = [](const SumTerm &term) { return term.getKind() == TimeKind::Compute; };
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    if (!llvm::any_of(state->cache.getTimes(state->current[unit]), isCompute))
      continue;
    for (const TimeTerm &term : pricer.compute(unit).times)
      if (term.kind == TimeKind::Compute) {
        int64_t count = state->model.getTimes(term.slot);
        times[term.op] = std::min(maxTimePs, times[term.op] + multiplySaturated(term.timePs, count));
      }
  }
  for (OpId op : idRange<OpId>(times.size()))
    if (times[op] > 0)
      list.push_back({op, times[op]});
  llvm::sort(list,
             [](const OpTime &a, const OpTime &b) { return std::pair(-a.timePs, a.op) < std::pair(-b.timePs, b.op); });
  return list;
}

std::vector<ReshardTime> CostTracker::listReshards() const {
  UnitPricer &pricer = state->cache.getPricer();
  ReshardPlanPrices prices(state->model, state->planner);
  std::vector<ReshardTime> list;
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    if (state->current[unit] == PriceCache::nothing)
      continue;
    pricer.compute(unit);
    const CellReshards &reshards = pricer.getReshards();
    for (uint32_t number = 0; number < reshards.list.size(); ++number) {
      const Reshard &reshard = reshards.list[number];
      int64_t time = multiplySaturated(prices.get(reshard.plan).timePs, pricer.getMultiplicity(ReshardId(number)));
      list.push_back({reshard.cell, reshard.op, reshard.plan,
                      multiplySaturated(time, state->model.getTimes(reshard.region)), pricer.isOverlapped(reshard)});
    }
  }
  llvm::sort(list, [](const ReshardTime &a, const ReshardTime &b) {
    return std::tuple(-a.timePs, a.cell, a.op, a.plan) < std::tuple(-b.timePs, b.cell, b.op, b.plan);
  });
  return list;
}

} // namespace partita::cost
