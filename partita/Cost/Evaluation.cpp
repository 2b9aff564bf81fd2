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
  state->records.noteAllRows();
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
        arePairsLoose(!records.getPairs().isFixed()), maxRecords(maxRecords) {
    priceAll();
  }

  /// What a unit's record was before.
  struct Change {
    UnitId unit;
    RecordId old;
  };
  /// What an update found.
  struct Frame {
    size_t numChanges, numRows;
    /// How much of the assignment's trail was known.
    size_t seen;
    Cost cost;
    /// Of donated arguments and results, where they depend on the assignment.
    std::vector<CellId> pairs;
  };

  void priceAll() {
    sums.clear();
    records.getPairs().update(assignment);
    records.noteAllRows();
    for (UnitId unit : idRange<UnitId>(current.size())) {
      current[unit] = records.find(unit, RecordId());
      sums.add(records, current[unit]);
    }
    seen = assignment.mark();
    cost = sums.computeCost();
  }

  /// What is current or may be restored stays.
  void forgetRecords() {
    IdVector<RecordId, uint8_t> isKept(records.size(), 0);
    for (RecordId id : current.raw())
      isKept[id] = 1;
    for (const Change &change : changes)
      isKept[change.old] = 1;
    IdVector<RecordId, RecordId> renumbered = records.keepOnly(isKept);
    for (UnitId unit : idRange<UnitId>(current.size()))
      current[unit] = renumbered[current[unit]];
    for (Change &change : changes)
      change.old = renumbered[change.old];
    // Not again before something is worth forgetting.
    maxRecords = std::max(maxRecords, 2 * records.size());
  }

  void startEpoch() {
    if (++epoch != 0)
      return;
    marks = IdVector<UnitId, uint32_t>(marks.size(), 0);
    epoch = 1;
  }

  void noteRow(NodeId node) {
    changedNodes.push_back(node);
    records.noteRow(node, oldRows);
  }

  void touch(UnitId unit) {
    if (std::exchange(marks[unit], epoch) == epoch)
      return;
    if (arePairsLoose) {
      CellId cell = model.getUnits()[unit].cell;
      arePairsTouched |= cell.isValid() && records.getPairs().matters(cell);
    }
    reprice(unit);
  }

  /// The units that a change of the assignment can change the price of.
  void touch(const partita::Change &change) {
    switch (change.kind) {
    case ChangeKind::Assign:
      return touchAll(model.getUnits().getUnits(change.getNode()));
    case ChangeKind::Pin:
      return touchAll(model.getUnits().getUnits(change.getCell()));
    case ChangeKind::Group:
      return touchAll(
          model.getUnits().getUnits(model.getTopology().getRepresentative(model.getGraph().uses[change.getUse()])));
    case ChangeKind::Close:
    case ChangeKind::Choose:
      return;
    }
  }

  void touchAll(llvm::ArrayRef<UnitId> units) {
    for (UnitId unit : units)
      touch(unit);
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
    RecordId old = current[unit], next = records.find(unit, old);
    if (next == old)
      return;
    replace(unit, next);
    changes.push_back({unit, old});
  }

  void replace(UnitId unit, RecordId next) {
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
  bool arePairsLoose, arePairsTouched = false;
  std::vector<Change> changes;
  /// Nodes whose rows changed, and the rows that they had.
  std::vector<NodeId> changedNodes;
  std::vector<uint64_t> oldRows;
  std::vector<Frame> frames;
  size_t seen = 0, maxRecords;
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
  assert(tracker.assignment.mark() >= tracker.seen && "the assignment was rolled back alone");
  if (tracker.records.size() > tracker.maxRecords)
    tracker.forgetRecords();
  DonorPairs &pairs = tracker.records.getPairs();
  tracker.frames.push_back({tracker.changes.size(), tracker.changedNodes.size(), tracker.seen, tracker.cost,
                            pairs.isFixed() ? std::vector<CellId>() : pairs.getLoosePairs()});
  tracker.startEpoch();
  tracker.arePairsTouched = false;
  llvm::ArrayRef<Change> changes = tracker.assignment.getChanges(tracker.seen);
  // All rows first: the price of a unit may depend on those of several nodes.
  for (const Change &change : changes)
    if (change.kind == ChangeKind::Assign)
      tracker.noteRow(change.getNode());
  for (const Change &change : changes)
    tracker.touch(change);
  if (tracker.arePairsTouched)
    tracker.updatePairs();
  tracker.seen = tracker.assignment.mark();
  tracker.cost = tracker.sums.computeCost();
  return tracker.cost;
}

size_t CostTracker::mark() const { return state->frames.size(); }

void CostTracker::rollback(size_t mark) {
  State &tracker = *state;
  assert(mark <= tracker.frames.size() && "a mark from the future");
  if (mark == tracker.frames.size())
    return;
  State::Frame frame = std::move(tracker.frames[mark]);
  while (tracker.changes.size() > frame.numChanges) {
    State::Change change = tracker.changes.back();
    tracker.changes.pop_back();
    tracker.replace(change.unit, change.old);
  }
  while (tracker.changedNodes.size() > frame.numRows) {
    tracker.records.restoreRow(tracker.changedNodes.back(), tracker.oldRows);
    tracker.changedNodes.pop_back();
  }
  tracker.frames.resize(mark);
  tracker.seen = frame.seen;
  tracker.cost = frame.cost;
  if (!tracker.records.getPairs().isFixed())
    tracker.records.getPairs().setLoosePairs(frame.pairs);
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
