//===- Evaluation.cpp - what an assignment costs, at once and step by step ===//

#include "partita/Cost/Evaluation.h"

#include "partita/Cost/CostSums.h"

#include <tuple>

namespace partita {

Cost evaluateCost(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner) {
  return CostEvaluator(model, assignment, planner).evaluate();
}

//===----------------------------------------------------------------------===//
// At once
//===----------------------------------------------------------------------===//

struct CostEvaluator::State {
  State(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
      : model(model), assignment(assignment), records(model, assignment, planner), sums(model),
        last(model.getUnits().size()) {}

  const CostModel &model;
  const Assignment &assignment;
  UnitRecords records;
  CostSums sums;
  /// What each unit was found to be before: looked at first.
  IdVector<UnitId, RecordId> last;
};

CostEvaluator::CostEvaluator(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
    : state(std::make_unique<State>(model, assignment, planner)) {}
CostEvaluator::~CostEvaluator() = default;
CostEvaluator::CostEvaluator(CostEvaluator &&) = default;

/// Records that are kept at most; beyond, all are forgotten before the next evaluation.
static constexpr size_t maxEvaluatorRecords = size_t(1) << 21;

Cost CostEvaluator::evaluate() {
  state->sums.clear();
  state->records.getPairs().update(state->assignment);
  state->records.noteAll();
  if (state->records.size() > maxEvaluatorRecords) {
    state->records.clear();
    state->last = IdVector<UnitId, RecordId>(state->last.size());
  }
  for (UnitId unit : idRange<UnitId>(state->last.size())) {
    RecordId id = state->records.find(unit, state->last[unit]);
    state->last[unit] = id;
    // Most units that are computed inside of kernels cost nothing.
    if (id != UnitRecords::nothing)
      state->sums.add(state->records, id);
  }
  return state->sums.computeCost();
}

//===----------------------------------------------------------------------===//
// Step by step
//===----------------------------------------------------------------------===//

struct CostTracker::State {
  State(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner, size_t maxRecords)
      : model(model), assignment(assignment), planner(planner), records(model, assignment, planner), sums(model),
        current(model.getUnits().size()), marks(model.getUnits().size(), 0),
        areStale(model.getTopology().getNumNodes(), 0), first(assignment.mark()),
        arePairsLoose(!records.getPairs().isFixed()), maxRecords(maxRecords) {
    for (UnitId unit : idRange<UnitId>(current.size())) {
      current[unit] = records.find(unit, RecordId());
      sums.add(records, current[unit]);
    }
    cost = sums.computeCost();
  }

  /// A change of the assignment, as far as it matters here.
  struct Followed {
    ChangeKind kind;
    uint32_t id;
  };

  size_t getSeen() const { return first + followed.size(); }

  void forgetRecords() {
    IdVector<RecordId, uint8_t> isKept(records.size(), 0);
    for (RecordId id : current.raw())
      isKept[id] = 1;
    IdVector<RecordId, RecordId> renumbered = records.keepOnly(isKept);
    for (UnitId unit : idRange<UnitId>(current.size()))
      current[unit] = renumbered[current[unit]];
    // Not again before something is worth forgetting.
    maxRecords = std::max(maxRecords, 2 * records.size());
  }

  /// What was done, or undone, is looked at by the next update.
  void noteStale(const Followed &change) {
    switch (change.kind) {
    case ChangeKind::Assign:
      if (std::exchange(areStale[NodeId(change.id)], 1) == 0)
        staleNodes.push_back(NodeId(change.id));
      return;
    case ChangeKind::Pin:
      return staleCells.push_back(CellId(change.id));
    case ChangeKind::Group:
      return staleCells.push_back(model.getTopology().getRepresentative(model.getGraph().uses[UseId(change.id)]));
    case ChangeKind::Close:
    case ChangeKind::Choose:
      return;
    }
  }

  void startEpoch() {
    if (++epoch != 0)
      return;
    marks = IdVector<UnitId, uint32_t>(marks.size(), 0);
    epoch = 1;
  }

  /// Prices the units of what is stale and has not become again what it was.
  void updateStale() {
    startEpoch();
    arePairsTouched = false;
    // All of them are noted first: the price of a unit may depend on several.
    size_t numChanged = 0;
    for (NodeId node : staleNodes) {
      areStale[node] = 0;
      if (records.noteRow(node))
        staleNodes[numChanged++] = node;
    }
    staleNodes.resize(numChanged);
    for (CellId cell : staleCells)
      for (UnitId unit : model.getUnits().getUnits(cell))
        records.notePinsAndGroups(unit);
    for (NodeId node : staleNodes)
      touchAll(model.getUnits().getUnits(node));
    for (CellId cell : staleCells)
      touchAll(model.getUnits().getUnits(cell));
    staleNodes.clear();
    staleCells.clear();
    if (arePairsTouched)
      updatePairs();
  }

  void touchAll(llvm::ArrayRef<UnitId> units) {
    for (UnitId unit : units) {
      if (std::exchange(marks[unit], epoch) == epoch)
        continue;
      if (arePairsLoose) {
        CellId cell = model.getUnits()[unit].cell;
        arePairsTouched |= cell.isValid() && records.getPairs().matters(cell);
      }
      reprice(unit);
    }
  }

  /// Pairs donors anew, and prices what is made in other buffers now.
  void updatePairs() {
    std::vector<CellId> before = records.getPairs().getLoosePairs();
    records.getPairs().update(assignment);
    for (auto [result, old] : llvm::zip_equal(records.getPairs().getLooseResults(), before))
      if (records.getPairs().getArgument(result) != old)
        for (UnitId unit : model.getUnits().getUnits(model.getTopology().getRepresentative(result)))
          reprice(unit);
  }

  void reprice(UnitId unit) {
    RecordId next = records.find(unit, current[unit]);
    if (next == current[unit])
      return;
    sums.replace(records, current[unit], next);
    current[unit] = next;
  }

  const CostModel &model;
  const Assignment &assignment;
  ReshardPlanner &planner;
  UnitRecords records;
  CostSums sums;
  IdVector<UnitId, RecordId> current;
  /// Units that the update with this number has looked at.
  IdVector<UnitId, uint32_t> marks;
  uint32_t epoch = 0;
  /// What may not be any more as it was priced: nodes by their rows, cells by their pins and the groups of their uses.
  IdVector<NodeId, uint8_t> areStale;
  std::vector<NodeId> staleNodes;
  std::vector<CellId> staleCells;
  /// The assignment's trail from `first` on, as it was at the last update.
  size_t first;
  std::vector<Followed> followed;
  bool arePairsLoose, arePairsTouched = false;
  size_t maxRecords;
  Cost cost;
};

CostTracker::CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner,
                         size_t maxRecords)
    : state(std::make_unique<State>(model, assignment, planner, maxRecords)) {}
CostTracker::~CostTracker() = default;
CostTracker::CostTracker(CostTracker &&) = default;

const Cost &CostTracker::getCost() const { return state->cost; }

const Cost &CostTracker::update() {
  State &tracker = *state;
  assert(tracker.assignment.mark() >= tracker.getSeen() && "the assignment was rolled back alone");
  if (tracker.records.size() > tracker.maxRecords)
    tracker.forgetRecords();
  for (const Change &change : tracker.assignment.getChanges(tracker.getSeen())) {
    tracker.followed.push_back({change.kind, change.id});
    tracker.noteStale(tracker.followed.back());
  }
  tracker.updateStale();
  tracker.cost = tracker.sums.computeCost();
  return tracker.cost;
}

void CostTracker::rollback(size_t mark) {
  State &tracker = *state;
  assert(mark >= tracker.first && "a mark that is older than the tracker");
  for (; tracker.getSeen() > mark; tracker.followed.pop_back())
    tracker.noteStale(tracker.followed.back());
}

//===----------------------------------------------------------------------===//
// For proposals
//===----------------------------------------------------------------------===//

std::vector<AliveCell> CostTracker::listAtPeak() const {
  UnitPricer &pricer = state->records.getPricer();
  std::vector<AliveCell> list;
  if (state->cost.peakBytes == 0)
    return list;
  state->sums.computeCost();
  uint32_t peak = state->sums.findPeakPoint();
  for (UnitId unit : idRange<UnitId>(state->current.size()))
    for (const ValueForm &form : pricer.compute(unit).forms)
      for (const LiveRange &range : form.ranges)
        if (range.first <= peak && peak <= range.last)
          list.push_back({state->model.getUnits()[unit].cell, form.bytes * range.count, form.transfer.isValid()});
  llvm::sort(list, [](const AliveCell &a, const AliveCell &b) {
    return std::tuple(-a.bytes, a.cell, a.isTransferred) < std::tuple(-b.bytes, b.cell, b.isTransferred);
  });
  return list;
}

std::vector<int64_t> CostTracker::listLiveBytes() const {
  UnitPricer &pricer = state->records.getPricer();
  std::vector<int64_t> bytes(state->model.getLiveTimes().getNumPoints() + 1, 0);
  for (UnitId unit : idRange<UnitId>(state->current.size()))
    for (const ValueForm &form : pricer.compute(unit).forms)
      for (const LiveRange &range : form.ranges) {
        bytes[range.first] += form.bytes * range.count;
        bytes[range.last + 1] -= form.bytes * range.count;
      }
  for (size_t point = 1; point < bytes.size(); ++point)
    bytes[point] += bytes[point - 1];
  bytes.pop_back();
  return bytes;
}

std::vector<OpTime> CostTracker::listOps() const {
  UnitPricer &pricer = state->records.getPricer();
  std::vector<OpTime> list;
  IdVector<OpId, int64_t> times(state->model.getGraph().ops.size(), 0);
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    for (const TimeTerm &term : pricer.compute(unit).times)
      if (term.kind == TimeKind::Compute) {
        int64_t count = state->model.getTimes(state->model.getSegment(term.segment).region);
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

std::vector<TransferTime> CostTracker::listTransfers() const {
  UnitPricer &pricer = state->records.getPricer();
  PlanPrices prices(state->model, state->planner);
  std::vector<TransferTime> list;
  for (UnitId unit : idRange<UnitId>(state->current.size())) {
    pricer.compute(unit);
    const CellTransfers &transfers = pricer.getTransfers();
    for (uint32_t number = 0; number < transfers.list.size(); ++number) {
      const Transfer &transfer = transfers.list[number];
      int64_t time = multiplySaturated(prices.get(transfer.plan).timePs, pricer.getWeight(TransferId(number)));
      list.push_back({transfer.cell, transfer.op, transfer.plan,
                      multiplySaturated(time, state->model.getTimes(transfer.region)), pricer.isOverlapped(transfer)});
    }
  }
  llvm::sort(list, [](const TransferTime &a, const TransferTime &b) {
    return std::tuple(-a.timePs, a.cell, a.op, a.plan) < std::tuple(-b.timePs, b.cell, b.op, b.plan);
  });
  return list;
}

} // namespace partita
