//===- CostReport.cpp - where the time and memory of an assignment go -----===//

#include "partita/Cost/CostReport.h"

#include "partita/Cost/CostSums.h"
#include "partita/Cost/ExchangePrice.h"
#include "partita/Cost/PiecePrice.h"

#include <map>
#include <tuple>

namespace partita::cost {

double FlopCount::computeMfu(int64_t numDevices, int64_t timePs) const {
  if (peakFlopsPerSecond <= 0 || timePs <= 0)
    return 0;
  return static_cast<double>(total) / (static_cast<double>(numDevices) * static_cast<double>(peakFlopsPerSecond) *
                                       static_cast<double>(timePs) / 1e12);
}

int64_t FlopCount::computeIdealPs(int64_t numDevices) const {
  return static_cast<int64_t>(idealSeconds / static_cast<double>(numDevices) * 1e12);
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
  ReportBuilder(const CostModel &model, const Assignment &assignment, const Reshards &planned, ReshardPlanner &planner,
                const PiecePrices *pieces)
      : model(model), graph(model.getGraph()), topology(model.getTopology()), assignment(assignment), planned(planned),
        planner(planner), cache(model, assignment, planner), pieces(pieces), sums(model) {
    cache.getPricer().setPieces(pieces);
  }

  CostReport run() {
    std::vector<PriceEntryId> ids;
    for (UnitId unit : idRange<UnitId>(model.getUnits().size()))
      ids.push_back(cache.find(unit, PriceEntryId()));
    sums.assign(cache, ids);
    report.cost = sums.computeCost();
    report.limitBytes = model.getMemoryLimit();
    report.levels.resize(model.getMachine().levels.size());
    for (uint32_t level = 0; level < report.levels.size(); ++level)
      report.levels[level].level = level;
    if (report.cost.peakBytes > 0)
      peakPoint = sums.findPeakPoint();
    for (UnitId unit : idRange<UnitId>(model.getUnits().size()))
      addUnit(unit);
    addExchanges();
    finishReshards();
    finishMemory();
    addOps();
    addReplicated();
    return std::move(report);
  }

private:
  void addUnit(UnitId unit);
  void addReshard(const Reshard &reshard, ReshardId id, UnitPricer &pricer);
  void addStep(const ReshardPlan &plan, size_t number, int64_t count, ReshardLine &line);
  static void addToLine(const CollectiveLine &once, ReshardLine &line);
  void finishReshards();
  void addMemory(UnitId unit, const UnitPrice &price, UnitPricer &pricer);
  MemoryCategory findCategory(const Unit &unit, const ValueCopy &copy, UnitPricer &pricer) const;
  MemoryCategory findArgumentCategory(CellId cell) const;
  void finishMemory();
  CollectiveLine addCollective(CollectiveKind kind, llvm::ArrayRef<AxisId> axes, int64_t payloadBytes,
                               const CollectivePrice &price, int64_t count);
  void addExchanges();
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
  const Reshards &planned;
  ReshardPlanner &planner;
  PriceCache cache;
  const PiecePrices *pieces;
  CostSums sums;
  CostReport report;
  uint32_t peakPoint = 0;
  std::map<std::pair<CollectiveKind, llvm::SmallVector<AxisId, 2>>, CollectiveLine> collectives;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reshards
//===----------------------------------------------------------------------===//

void ReportBuilder::addUnit(UnitId unit) {
  UnitPricer &pricer = cache.getPricer();
  const UnitPrice &price = pricer.compute(unit);
  const CellReshards &reshards = pricer.getReshards();
  for (uint32_t number = 0; number < reshards.list.size(); ++number)
    addReshard(reshards.list[number], ReshardId(number), pricer);
  addMemory(unit, price, pricer);
}

void ReportBuilder::addStep(const ReshardPlan &plan, size_t number, int64_t count, ReshardLine &line) {
  const ReshardStep &step = plan.steps[number];
  if (step.kind == CollectiveKind::AllSlice)
    return;
  addToLine(addCollective(step.kind, step.axes, step.payloadBytes, priceStep(model, plan, number), count), line);
}

void ReportBuilder::addToLine(const CollectiveLine &once, ReshardLine &line) {
  line.payloadBytes += once.payloadBytes;
  line.wireBytes += once.wireBytes;
  line.timePs += once.timePs;
}

/// Adds `count` executions; returns what they add.
CollectiveLine ReportBuilder::addCollective(CollectiveKind kind, llvm::ArrayRef<AxisId> axes, int64_t payloadBytes,
                                            const CollectivePrice &price, int64_t count) {
  CollectiveLine line;
  line.kind = kind;
  line.axes.assign(axes.begin(), axes.end());
  line.count = count;
  line.payloadBytes = multiplySaturated(payloadBytes, count);
  line.wireBytes = multiplySaturated(price.getWireBytes(), count);
  line.timePs = multiplySaturated(price.timePs, count);
  CollectiveLine &sum = collectives[{kind, line.axes}];
  sum.kind = kind;
  sum.axes = line.axes;
  sum.count += line.count;
  sum.payloadBytes += line.payloadBytes;
  sum.wireBytes += line.wireBytes;
  sum.timePs += line.timePs;
  for (uint32_t level = 0; level < price.wireBytes.size() && level < report.levels.size(); ++level)
    if (price.wireBytes[level] > 0) {
      report.levels[level].bytes += multiplySaturated(price.wireBytes[level], count);
      report.levels[level].busyPs += line.timePs;
    }
  return line;
}

void ReportBuilder::addExchanges() {
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    int64_t count = multiplySaturated(model.getMultiplicity().get(op), model.getTimes(graph.ops[op].region));
    for (const OpExchange &exchange : listExchanges(assignment, op).collectives) {
      DimAxes axes = assignment.getFactorAxes(topology.getNode(op), exchange.factor);
      CollectivePrice price = priceExchange(model, assignment, op, exchange);
      report.exchangePs += addCollective(exchange.kind, axes, exchange.payloadBytes, price, count).timePs;
    }
  }
}

void ReportBuilder::addReshard(const Reshard &reshard, ReshardId id, UnitPricer &pricer) {
  const ReshardPlan &plan = planner[reshard.plan];
  ReshardLine line;
  line.cell = reshard.cell;
  line.op = reshard.op;
  line.firstUser = pricer.getReshards().firstUsers[id.get()];
  line.plan = reshard.plan;
  line.phase = reshard.phase;
  line.count = multiplySaturated(pricer.getMultiplicity(id), model.getTimes(reshard.region));
  // What is rotated runs once more, in front of its loop.
  if (pieces && pieces->isRotated(reshard))
    line.count = std::min(maxTimePs, line.count + model.getTimes(graph.regions[reshard.region].parent));
  line.isOverlapped = pricer.isOverlapped(reshard);
  const PiecedReshardPrice *pieced = pieces ? pieces->find(reshard) : nullptr;
  for (size_t number = 0; number < plan.steps.size() && !pieced; ++number)
    addStep(plan, number, line.count, line);
  for (const CollectivePrice &permute : pieced ? pieced->permutes : std::vector<CollectivePrice>()) {
    const auto kind = CollectiveKind::CollectivePermute;
    addToLine(addCollective(kind, plan.steps.front().axes, pieced->pieceBytes, permute, line.count), line);
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
  std::vector<ReshardKey> keys;
  for (const ReshardLine &line : report.reshards)
    keys.push_back({line.cell, line.op, line.plan});
  report.reshardLines = findReshards(planned, keys);
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

MemoryCategory ReportBuilder::findCategory(const Unit &unit, const ValueCopy &copy, UnitPricer &pricer) const {
  CellId cell = unit.cell;
  if (copy.reshard.isValid()) {
    const Reshard &reshard = pricer.getReshards().list[copy.reshard.get()];
    auto isGather = [](const ReshardStep &step) { return step.kind == CollectiveKind::AllGather; };
    return llvm::any_of(planner[reshard.plan].steps, isGather) && model.getOverlap().isParameter(cell)
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
  for (const ValueCopy &copy : price.copies)
    for (const LiveRange &range : copy.ranges) {
      if (peakPoint < range.first || range.last < peakPoint)
        continue;
      MemoryLine line{unit.cell, copy.reshard.isValid(), copy.bytes * range.count, findCategory(unit, copy, pricer)};
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
    if (cache.getPairs().getArgument(cell).isValid())
      memory.aliasedBytes += getLocalBytes(cell);
  }
  memory.temporaryBytes = memory.peakBytes - memory.argumentBytes;
  llvm::sort(memory.atPeak, [](const MemoryLine &a, const MemoryLine &b) {
    return std::tuple(-a.bytes, a.cell, a.isResharded) < std::tuple(-b.bytes, b.cell, b.isResharded);
  });
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void ReportBuilder::addOps() {
  IdVector<AxisId, __int128> split(model.getAxes().size(), 0);
  std::map<llvm::StringRef, double> byType;
  __int128 contractions = 0;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    const Op &info = graph.ops[op];
    if (!hasProducts(info) || info.flops == 0)
      continue;
    // Not multiplySaturated: that one ends at the longest time, and a step of a large model has more flops.
    __int128 flops = static_cast<__int128>(info.flops) * model.getMultiplicity().get(op) * model.getTimes(info.region);
    contractions += flops;
    if (info.numUses > 0)
      byType[graph.getName(graph.cells[graph.getOperands(op)[0]].element)] += static_cast<double>(flops);
    for (AxisId axis : idRange<AxisId>(split.size()))
      if (uint8_t factor = assignment.getFactor(topology.getNode(op), axis); factor < info.numFactors)
        split[axis] += flops;
  }
  report.flops.total = static_cast<int64_t>(std::min<__int128>(contractions, INT64_MAX));
  double most = 0;
  for (const auto &[type, flops] : byType) {
    int64_t rate = getPeakFlopsPerSecond(model.getMachine().device, type);
    if (rate <= 0)
      continue;
    report.flops.idealSeconds += flops / static_cast<double>(rate);
    if (flops > most)
      std::tie(most, report.flops.peakFlopsPerSecond) = std::pair(flops, rate);
  }
  for (AxisId axis : idRange<AxisId>(split.size()))
    report.splitFlopsPpm.push_back(contractions > 0 ? static_cast<int64_t>(split[axis] * wholePpm / contractions) : 0);
  report.assumedLoops = llvm::count_if(graph.regions.raw(), [](const Region &region) {
    return region.kind == RegionKind::LoopBody && region.trips < 0;
  });
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

CostReport buildCostReport(const CostModel &model, const Assignment &assignment, const Reshards &reshards,
                           ReshardPlanner &planner, const PiecePrices *pieces) {
  return ReportBuilder(model, assignment, reshards, planner, pieces).run();
}

} // namespace partita::cost
