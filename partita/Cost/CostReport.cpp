//===- CostReport.cpp - what an assignment costs, and why -----------------===//

#include "partita/Cost/CostReport.h"

#include "partita/Cost/CostSums.h"

#include <map>
#include <tuple>

namespace partita {

llvm::StringRef getName(ReshardCause cause) {
  switch (cause) {
  case ReshardCause::Reduce:
    return "reduce";
  case ReshardCause::Define:
    return "define";
  case ReshardCause::Use:
    return "use";
  }
  return "";
}

llvm::StringRef getName(MemoryCategory category) {
  switch (category) {
  case MemoryCategory::Parameters:
    return "parameters";
  case MemoryCategory::OptimizerState:
    return "optimizer_state";
  case MemoryCategory::Arguments:
    return "arguments";
  case MemoryCategory::Activations:
    return "activations";
  case MemoryCategory::Gradients:
    return "gradients";
  case MemoryCategory::GatheredParameters:
    return "gathered_parameters";
  case MemoryCategory::ReshardBuffers:
    return "reshard_buffers";
  case MemoryCategory::Other:
    return "other";
  }
  return "";
}

namespace {

class ReportBuilder {
public:
  ReportBuilder(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner)
      : model(model), graph(model.getGraph()), topology(model.getTopology()), assignment(assignment), planner(planner),
        records(model, assignment, planner), sums(model) {}

  CostReport run() {
    std::vector<RecordId> ids;
    for (UnitId unit : idRange<UnitId>(model.getUnits().size()))
      ids.push_back(records.find(unit, RecordId()));
    sums.assign(records, ids);
    report.cost = sums.computeCost();
    report.limitBytes = model.getMemoryLimit();
    report.fits = report.cost.peakBytes <= report.limitBytes;
    report.levels.resize(model.getMachine().levels.size());
    for (uint32_t level = 0; level < report.levels.size(); ++level)
      report.levels[level].level = level;
    findOverlapped();
    for (UnitId unit : idRange<UnitId>(model.getUnits().size()))
      addUnit(unit);
    finishReshards();
    finishMemory();
    addOps();
    addReplicated();
    return std::move(report);
  }

private:
  void findOverlapped();
  void addUnit(UnitId unit);
  void addReshard(const Transfer &transfer, TransferId id, UnitPricer &pricer, bool isDefinition);
  void addStep(const ReshardPlan &plan, size_t number, int64_t count, ReshardLine &line);
  uint32_t findStep(const Transfer &transfer, OpId firstUser) const;
  void finishReshards();
  void addMemory(UnitId unit, const UnitPrice &price, UnitPricer &pricer);
  MemoryCategory findCategory(const Unit &unit, const ValueForm &form, UnitPricer &pricer) const;
  MemoryCategory findArgumentCategory(CellId cell) const;
  void finishMemory();
  void addOps();
  void addReplicated();
  llvm::StringRef explainReplication(CellId cell) const;
  int64_t getLocalBytes(CellId cell) const {
    Sharding sharding = assignment.getCellSharding(cell);
    return (computeLocalBits(model.getAxes(), graph.getShape(cell), graph.cells[cell].elementBits, sharding) + 7) / 8;
  }

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  const Assignment &assignment;
  ReshardPlanner &planner;
  UnitRecords records;
  CostSums sums;
  CostReport report;
  uint32_t peakPoint = 0;
  /// Overlapped communication of each segment.
  IdVector<SegmentId, int64_t> overlapped;
  std::map<std::pair<CollectiveKind, llvm::SmallVector<AxisId, 2>>, CollectiveLine> collectives;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reshards
//===----------------------------------------------------------------------===//

void ReportBuilder::findOverlapped() {
  overlapped.resize(model.getNumSegments(), 0);
  for (UnitId unit : idRange<UnitId>(model.getUnits().size()))
    for (const SumTerm &term : records.getTimes(records.find(unit, RecordId())))
      if (term.getKind() == TimeKind::Overlapped)
        overlapped[term.segment] = std::min(maxTimePs, overlapped[term.segment] + term.timePs);
  if (report.cost.peakBytes > 0)
    peakPoint = sums.findPeakPoint();
}

void ReportBuilder::addUnit(UnitId unit) {
  UnitPricer &pricer = records.getPricer();
  const UnitPrice &price = pricer.compute(unit);
  const CellTransfers &transfers = pricer.getTransfers();
  for (uint32_t number = 0; number < transfers.list.size(); ++number)
    addReshard(transfers.list[number], TransferId(number), pricer, transfers.definition == TransferId(number));
  addMemory(unit, price, pricer);
}

/// The last step that put one of the axes which differ where it stands.
uint32_t ReportBuilder::findStep(const Transfer &transfer, OpId firstUser) const {
  const ReshardPlan &plan = planner[transfer.plan];
  NodeId source = topology.getSource(transfer.cell), user = topology.getNode(firstUser);
  CellId representative = topology.getRepresentative(transfer.cell);
  uint32_t last = 0;
  for (AxisId axis : idRange<AxisId>(model.getAxes().size())) {
    bool isChanged = plan.from.sharding.findAxis(axis) != plan.to.sharding.findAxis(axis) ||
                     llvm::is_contained(plan.from.partial, axis) != llvm::is_contained(plan.to.partial, axis);
    if (!isChanged)
      continue;
    if (source.isValid() && assignment.getFactor(source, axis) != noFactor)
      last = std::max(last, assignment.getStep(source, axis));
    if (assignment.getFactor(user, axis) != noFactor)
      last = std::max(last, assignment.getStep(user, axis));
    if (assignment.isPinned(representative, axis))
      last = std::max(last, assignment.getPinStep(representative, axis));
  }
  return last;
}

void ReportBuilder::addStep(const ReshardPlan &plan, size_t number, int64_t count, ReshardLine &line) {
  const ReshardStep &step = plan.steps[number];
  if (step.kind == CollectiveKind::AllSlice)
    return;
  CollectivePrice price = priceStep(model, plan, number);
  int64_t payload = multiplySaturated(step.payloadBytes, count), time = multiplySaturated(price.timePs, count);
  int64_t wire = multiplySaturated(price.getWireBytes(), count);
  CollectiveLine &sum = collectives[{step.kind, step.axes}];
  sum.kind = step.kind;
  sum.axes = step.axes;
  sum.count += count;
  sum.payloadBytes += payload;
  sum.wireBytes += wire;
  sum.timePs += time;
  line.payloadBytes += payload;
  line.wireBytes += wire;
  line.timePs += time;
  for (uint32_t level = 0; level < price.wireBytes.size() && level < report.levels.size(); ++level)
    if (price.wireBytes[level] > 0) {
      report.levels[level].bytes += multiplySaturated(price.wireBytes[level], count);
      report.levels[level].busyPs += time;
    }
}

void ReportBuilder::addReshard(const Transfer &transfer, TransferId id, UnitPricer &pricer, bool isDefinition) {
  const ReshardPlan &plan = planner[transfer.plan];
  ReshardLine line;
  line.cell = transfer.cell;
  line.op = transfer.op;
  line.firstUser = pricer.getTransfers().firstUsers[id.get()];
  line.plan = transfer.plan;
  line.phase = transfer.phase;
  if (plan.from.partial != plan.to.partial)
    line.cause = ReshardCause::Reduce;
  else
    line.cause = isDefinition ? ReshardCause::Define : ReshardCause::Use;
  line.step = findStep(transfer, line.firstUser);
  line.count = multiplySaturated(pricer.getWeight(id), model.getTimes(transfer.region));
  line.isOverlapped = pricer.isOverlapped(transfer);
  for (size_t number = 0; number < plan.steps.size(); ++number)
    addStep(plan, number, line.count, line);
  line.exposedPs = line.timePs;
  if (line.isOverlapped) {
    // What is not hidden is shared out evenly.
    SegmentId segment = model.getSegment(transfer.region, transfer.phase);
    __int128 uncovered = static_cast<__int128>(line.timePs) * sums.computeUncovered(segment);
    line.exposedPs = static_cast<int64_t>(uncovered / std::max<int64_t>(1, overlapped[segment]));
  }
  report.reshards.push_back(line);
}

void ReportBuilder::finishReshards() {
  for (auto &[key, line] : collectives)
    report.collectives.push_back(std::move(line));
  auto getPosition = [](const ReshardLine &line) {
    return std::tuple(line.op.isValid(), line.op, line.cell, line.firstUser, line.plan);
  };
  llvm::sort(report.reshards,
             [&](const ReshardLine &a, const ReshardLine &b) { return getPosition(a) < getPosition(b); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemoryCategory ReportBuilder::findArgumentCategory(CellId cell) const {
  bool isTied = llvm::any_of(graph.ties, [&](const Tie &tie) { return tie.argument == cell; });
  if (!isTied)
    return MemoryCategory::Arguments;
  bool isRead = llvm::any_of(topology.getUses(cell),
                             [&](UseId use) { return graph.ops[topology.getUser(use)].phase != Phase::Update; });
  return isRead ? MemoryCategory::Parameters : MemoryCategory::OptimizerState;
}

MemoryCategory ReportBuilder::findCategory(const Unit &unit, const ValueForm &form, UnitPricer &pricer) const {
  CellId cell = unit.cell;
  if (form.transfer.isValid()) {
    const Transfer &transfer = pricer.getTransfers().list[form.transfer.get()];
    auto isGather = [](const ReshardStep &step) { return step.kind == CollectiveKind::AllGather; };
    return llvm::any_of(planner[transfer.plan].steps, isGather) && model.getOverlap().isParameter(cell)
               ? MemoryCategory::GatheredParameters
               : MemoryCategory::ReshardBuffers;
  }
  if (graph.cells[cell].kind == CellKind::Argument)
    return findArgumentCategory(cell);
  OpId definition = topology.getDefinition(cell);
  if (!definition.isValid() && !topology.getDefinitions(cell).empty())
    definition = topology.getDefinitions(cell).back();
  if (!definition.isValid())
    return MemoryCategory::Other;
  if (model.getOverlap().isParameter(cell))
    return MemoryCategory::Parameters;
  switch (graph.ops[definition].phase) {
  case Phase::Forward:
    return MemoryCategory::Activations;
  case Phase::Backward:
    return model.getOverlap().isLate(cell) ? MemoryCategory::Gradients : MemoryCategory::Activations;
  case Phase::Update:
    return MemoryCategory::Other;
  }
  return MemoryCategory::Other;
}

void ReportBuilder::addMemory(UnitId id, const UnitPrice &price, UnitPricer &pricer) {
  const Unit &unit = model.getUnits()[id];
  for (const ValueForm &form : price.forms)
    for (const LiveRange &range : form.ranges) {
      if (peakPoint < range.first || range.last < peakPoint)
        continue;
      MemoryLine line{unit.cell, form.transfer.isValid(), form.bytes * range.count, findCategory(unit, form, pricer)};
      report.memory.categoryBytes[static_cast<size_t>(line.category)] += line.bytes;
      report.memory.atPeak.push_back(line);
    }
}

void ReportBuilder::finishMemory() {
  MemoryReport &memory = report.memory;
  memory.peakBytes = report.cost.peakBytes;
  for (CellId cell : graph.arguments)
    memory.argumentBytes += getLocalBytes(cell);
  for (CellId cell : graph.results) {
    memory.resultBytes += getLocalBytes(cell);
    if (records.getPairs().getArgument(cell).isValid())
      memory.aliasedBytes += getLocalBytes(cell);
  }
  memory.temporaryBytes = memory.peakBytes - memory.argumentBytes;
  llvm::sort(memory.atPeak, [](const MemoryLine &a, const MemoryLine &b) {
    return std::tuple(-a.bytes, a.cell, a.isTransferred) < std::tuple(-b.bytes, b.cell, b.isTransferred);
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ReportBuilder::addOps() {
  const OpPricer &pricer = model.getOpPricer();
  std::map<NameId, int64_t> unpriced;
  IdVector<AxisId, __int128> split(model.getAxes().size(), 0);
  __int128 contractions = 0, ideal = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    int64_t count = multiplySaturated(model.getWeights().get(op), model.getTimes(info.region));
    if (pricer.isUnpriced(op))
      unpriced[info.opName] += count;
    if (!hasProducts(info))
      continue;
    __int128 flops = static_cast<__int128>(info.flops) * count;
    contractions += flops;
    // Each product against the peak of its own type.
    ideal += static_cast<__int128>(multiplySaturated(
        computeTransferPs(info.flops, std::max<int64_t>(1, pricer.getPeakFlopsPerSecond(op))), count));
    for (AxisId axis : idRange<AxisId>(split.size()))
      if (uint8_t factor = assignment.getFactor(topology.getNode(op), axis); factor < info.numFactors)
        split[axis] += flops;
  }
  report.flops = static_cast<int64_t>(std::min<__int128>(contractions, INT64_MAX));
  __int128 available = static_cast<__int128>(report.cost.timePs) * model.getMachine().getNumDevices();
  report.mfuPpm = available > 0 ? static_cast<int64_t>(ideal * wholePpm / available) : 0;
  for (AxisId axis : idRange<AxisId>(split.size()))
    report.splitFlopsPpm.push_back(contractions > 0 ? static_cast<int64_t>(split[axis] * wholePpm / contractions) : 0);
  for (auto [kind, count] : unpriced)
    report.unpriced.push_back({kind, count});
  for (const Region &region : graph.regions.raw())
    report.hasAssumedTrips |= region.trips < 0;
}

llvm::StringRef ReportBuilder::explainReplication(CellId cell) const {
  const Axes &axes = model.getAxes();
  bool isPinned = true, divides = false;
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    isPinned &= assignment.getPin(cell, axis).kind == PinKind::Atomic;
    for (int64_t size : graph.getShape(cell))
      divides |= size % axes[axis].size == 0;
  }
  return isPinned ? "pinned whole" : divides ? "nothing splits it" : "no dim divides";
}

void ReportBuilder::addReplicated() {
  if (model.getAxes().size() == 0)
    return;
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    bool isListed = topology.getRepresentative(cell) == cell && graph.cells[cell].kind != CellKind::Result &&
                    !model.getFusion().isFused(cell) && !model.getFusion().isConstant(cell);
    int64_t bytes = isListed ? graph.getBytes(cell) : 0;
    if (bytes >= replicatedBytes && assignment.getCellSharding(cell).isReplicated())
      report.replicated.push_back({cell, bytes, explainReplication(cell)});
  }
  llvm::sort(report.replicated, [](const ReplicatedLine &a, const ReplicatedLine &b) {
    return std::pair(-a.bytes, a.cell) < std::pair(-b.bytes, b.cell);
  });
}

CostReport buildCostReport(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner) {
  return ReportBuilder(model, assignment, planner).run();
}

} // namespace partita
