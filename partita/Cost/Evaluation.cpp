//===- Evaluation.cpp - what an assignment costs, at once and step by step ===//

#include "partita/Cost/Evaluation.h"

#include <tuple>

namespace partita {

namespace {

/// Everything that a full evaluation finds.
class FullEvaluation {
public:
  FullEvaluation(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
      : model(model), graph(model.getGraph()), assignment(assignment), planner(planner),
        transfers(buildTransfers(assignment, planner)), compute(model.getNumSegments()),
        exposed(model.getNumSegments()), changes(model.getLiveTimes().getNumPoints() + 1) {
    addOps();
    addTransfers();
    addCells();
    for (SegmentId id : idRange<SegmentId>(model.getNumSegments())) {
      int64_t count = model.getTimes(model.getSegment(id).region);
      cost.computePs += count * compute[id];
      cost.communicationPs += count * exposed[id];
      cost.exposedPs += count * exposed[id];
    }
    cost.timePs = cost.computePs + cost.exposedPs;
    findPeak();
  }

  Cost cost;
  std::vector<OpTime> ops;
  std::vector<TransferTime> times;
  std::vector<AliveCell> atPeak;

private:
  struct Alive {
    AliveCell cell;
    LiveRanges ranges;
  };

  int64_t getBytes(CellId cell, const Sharding &sharding) const {
    return (computeLocalBits(model.getAxes(), graph.getShape(cell), graph.cells[cell].elementBits, sharding) + 7) / 8;
  }

  void addOps() {
    for (OpId id : idRange<OpId>(graph.ops.size())) {
      const Op &op = graph.ops[id];
      if (op.opClass == OpClass::Identity || op.numUses == 0)
        continue;
      int64_t parts = 1, bytes = 0;
      for (uint8_t factor = 0; factor < op.numFactors; ++factor)
        parts *= assignment.getParts(model.getTopology().getNode(id), factor);
      for (uint32_t value = 0; value < op.numUses + op.numDefinitions; ++value)
        bytes += getBytes(value < op.numUses ? graph.getOperands(id)[value] : graph.getResults(id)[value - op.numUses],
                          assignment.getValueSharding(id, value));
      const Device &device = model.getMachine().device;
      int64_t time = computeTransferPs(bytes, device.memoryBytesPerSecond.value, device.memoryPpm.value);
      if (op.opClass == OpClass::Contraction)
        time = std::max(time, computeMatmulPs(device, graph.getName(graph.cells[graph.getResults(id)[0]].element),
                                              op.flops / parts));
      time *= model.getWeights().get(id);
      compute[model.getSegment(op.region, op.phase)] += time;
      ops.push_back({id, time * model.getTimes(op.region)});
    }
  }

  void addTransfers() {
    for (const Transfer &transfer : transfers.list.raw()) {
      int64_t time = 0;
      for (const ReshardStep &step : planner[transfer.plan].steps) {
        if (step.kind == CollectiveKind::AllSlice)
          continue;
        CollectiveRequest request;
        static constexpr Collective kinds[] = {Collective::AllGather, Collective::AllGather,
                                               Collective::AllToAll,  Collective::CollectivePermute,
                                               Collective::AllReduce, Collective::ReduceScatter};
        request.kind = kinds[static_cast<unsigned>(step.kind)];
        LevelParts parts;
        for (AxisId axis : step.axes)
          parts.append(model.getParts(axis));
        request.parts = parts;
        request.payloadBytes = step.payloadBytes;
        time += priceCollective(model.getMachine(), request).timePs;
      }
      time *= model.getWeights().get(transfer.cell);
      exposed[model.getSegment(transfer.region, transfer.phase)] += time;
      times.push_back({transfer.cell, transfer.op, transfer.plan, time * model.getTimes(transfer.region), false});
    }
  }

  void addCells() {
    for (CellId cell : idRange<CellId>(graph.cells.size())) {
      if (model.getTopology().getRepresentative(cell) != cell)
        continue;
      OpId from = model.getTopology().getDefinition(cell), to = from;
      for (UseId use : model.getTopology().getUses(cell))
        if (OpId user = model.getTopology().getUser(use); !to.isValid() || user > to)
          to = user;
      if (graph.cells[cell].kind == CellKind::Argument || graph.cells[cell].kind == CellKind::Result)
        to = OpId();
      alive.push_back(
          {{cell, getBytes(cell, assignment.getCellSharding(cell)), false}, model.getLiveTimes().getRanges(from, to)});
    }
    for (const Alive &entry : alive)
      for (const LiveRange &range : entry.ranges) {
        changes[range.first] += entry.cell.bytes * range.count;
        changes[range.last + 1] -= entry.cell.bytes * range.count;
      }
  }

  void findPeak() {
    int64_t bytes = 0;
    uint32_t peak = 0;
    for (uint32_t point = 0; point + 1 < changes.size(); ++point) {
      bytes += changes[point];
      if (bytes > cost.peakBytes) {
        cost.peakBytes = bytes;
        peak = point;
      }
    }
    for (Alive &entry : alive)
      for (const LiveRange &range : entry.ranges)
        if (range.first <= peak && peak <= range.last) {
          atPeak.push_back(entry.cell);
          atPeak.back().bytes *= range.count;
        }
  }

  const CostModel &model;
  const Graph &graph;
  const Assignment &assignment;
  ReshardPlanner &planner;
  Transfers transfers;
  IdVector<SegmentId, int64_t> compute, exposed;
  std::vector<int64_t> changes;
  std::vector<Alive> alive;
};

} // namespace

Cost evaluateCost(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner) {
  return FullEvaluation(model, assignment, planner).cost;
}

struct CostTracker::State {
  const CostModel &model;
  const Assignment &assignment;
  ReshardPlanner &planner;
  std::vector<Cost> costs;
};

CostTracker::CostTracker(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
    : state(new State{model, assignment, planner, {}}) {
  update();
}
CostTracker::~CostTracker() = default;
CostTracker::CostTracker(CostTracker &&) = default;

const Cost &CostTracker::getCost() const { return state->costs.back(); }

const Cost &CostTracker::update() {
  state->costs.push_back(evaluateCost(state->model, state->assignment, state->planner));
  return state->costs.back();
}

size_t CostTracker::mark() const { return state->costs.size(); }
void CostTracker::rollback(size_t mark) { state->costs.resize(mark); }

std::vector<AliveCell> CostTracker::listAtPeak() const {
  std::vector<AliveCell> list = FullEvaluation(state->model, state->assignment, state->planner).atPeak;
  llvm::sort(list, [](const AliveCell &a, const AliveCell &b) {
    return std::tuple(-a.bytes, a.cell, a.isTransferred) < std::tuple(-b.bytes, b.cell, b.isTransferred);
  });
  return list;
}

std::vector<OpTime> CostTracker::listOps() const {
  std::vector<OpTime> list = FullEvaluation(state->model, state->assignment, state->planner).ops;
  llvm::sort(list,
             [](const OpTime &a, const OpTime &b) { return std::pair(-a.timePs, a.op) < std::pair(-b.timePs, b.op); });
  return list;
}

std::vector<TransferTime> CostTracker::listTransfers() const {
  std::vector<TransferTime> list = FullEvaluation(state->model, state->assignment, state->planner).times;
  llvm::sort(list, [](const TransferTime &a, const TransferTime &b) {
    return std::tuple(-a.timePs, a.cell, a.op, a.plan) < std::tuple(-b.timePs, b.cell, b.op, b.plan);
  });
  return list;
}

} // namespace partita
