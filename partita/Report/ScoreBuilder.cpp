//===- ScoreBuilder.cpp - from a plan and its price to a score ------------===//

#include "partita/Report/ScoreBuilder.h"

#include "partita/Analysis/Views.h"
#include "partita/Cost/ReshardCause.h"
#include "partita/Machine/MemoryPool.h"
#include "partita/Report/TimeBand.h"
#include "partita/Schedule/ArgumentKinds.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <map>
#include <numeric>

namespace partita::report {

//===----------------------------------------------------------------------===//
// What the plan moves
//===----------------------------------------------------------------------===//

static std::string getFullName(const Graph &graph, const Cell &cell) {
  return graph.getFullName(cell.name, cell.occurrence);
}

static std::string describeCause(const Plan &plan, const Reshard &reshard) {
  const Graph &graph = plan.getGraph();
  auto describeOp = [&](llvm::StringRef verb) {
    const Op &op = graph.ops[reshard.op];
    return verb.str() + graph.getName(op.opName).str() + " " + graph.getFullName(op.name, op.occurrence);
  };
  switch (findCause(reshard, plan.planner[reshard.plan])) {
  case ReshardCause::Combine:
    return "partial results are combined";
  case ReshardCause::Uses:
    return "uses need another sharding than the value has";
  case ReshardCause::NeededByOp:
    return describeOp("needed by ");
  case ReshardCause::GivenByOp:
    return describeOp("given by ");
  }
  return "";
}

static ScoreReshard describe(const Plan &plan, const Reshard &reshard) {
  const Graph &graph = plan.getGraph();
  const ReshardPlan &steps = plan.planner[reshard.plan];
  const Cell &cell = graph.cells[reshard.cell];
  ScoreReshard entry;
  entry.value = getFullName(graph, cell);
  entry.loc = graph.getName(reshard.op.isValid() ? graph.ops[reshard.op].location : cell.location).str();
  entry.from = printPartialSharding(plan.axes, steps.from);
  entry.to = printPartialSharding(plan.axes, steps.to);
  entry.steps = printSteps(plan.axes, steps);
  entry.count = std::max<int64_t>(1, graph.getMultiplicity(reshard.region));
  for (const ReshardStep &step : steps.steps)
    entry.bytes += step.payloadBytes * entry.count;
  entry.cause = describeCause(plan, reshard);
  entry.tactic = plan.findTactic(reshard).str();
  return entry;
}

std::vector<ScoreReshard> describeReshards(const Plan &plan, const Price *price, const Timeline *timeline) {
  std::vector<ScoreReshard> list;
  for (ReshardId id : idRange<ReshardId>(plan.reshards.size())) {
    ScoreReshard entry = describe(plan, plan.reshards[id]);
    if (const ReshardLine *line = price ? price->report.findReshard(id) : nullptr) {
      entry.timePs = line->timePs;
      entry.exposedPs = timeline->exposedPs[id];
      entry.count = line->count;
      entry.bytes = line->payloadBytes;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

/// The line of collectives of this kind and these axes; a new one if there is none.
static ScoreCollective &getLine(Score &score, const ExistingCollective &existing, const Mesh &mesh) {
  std::string kind = getName(existing.kind).str();
  std::vector<std::string> axes = existing.getAxes(mesh);
  for (ScoreCollective &line : score.collectives)
    if (line.kind == kind && line.axes == axes)
      return line;
  score.collectives.push_back({kind, axes, 0, 0, 0, std::nullopt});
  return score.collectives.back();
}

/// Without a machine: bytes, no times.
static void countPlannedCollectives(const Plan &plan, Score &score) {
  const Graph &graph = plan.getGraph();
  for (const CollectiveCount &count :
       countCollectives(plan.assignment, plan.planner, plan.reshards, plan.pieces, plan.rotated))
    score.collectives.push_back({getName(count.kind).str(), getNames(plan.axes, count.axes), count.count,
                                 count.payloadBytes, count.sentBytes, std::nullopt});
  for (const ExistingCollective &existing : plan.existing) {
    int64_t trips = graph.getMultiplicity(graph.ops[existing.op].region);
    int64_t times = existing.times * (trips < 0 ? 1 : trips);
    ScoreCollective &line = getLine(score, existing, plan.getMesh());
    line.count += times;
    line.bytes += times * existing.payloadBytes;
    line.wireBytes += times * existing.sentBytes;
  }
}

//===----------------------------------------------------------------------===//
// What it costs on a machine
//===----------------------------------------------------------------------===//

namespace {

/// Fills in the figures that need a machine.
class PriceWriter {
public:
  PriceWriter(const SimulatedPrice &priced, Score &score)
      : price(priced.price), plan(price.plan), graph(plan.getGraph()), timeline(priced.timeline),
        lowerBoundPs(priced.lowerBoundPs), isOneDevice(priced.scope == ProgramScope::OneDevice),
        usefulFlopsPpm(priced.usefulFlopsPpm), score(score) {}

  ScorePrices run() {
    const Cost &cost = price.getCost();
    prices.timePs = price.computeTimePs();
    // What ops exchange by themselves is no computation, though the cost counts it with the op.
    int64_t exchangePs = std::min(price.report.exchangePs, cost.computePs);
    prices.computePs = cost.computePs - exchangePs;
    int64_t existingPs = prices.timePs - cost.timePs;
    prices.communicationPs = std::min(maxTimePs, cost.communicationPs + existingPs + exchangePs);
    prices.exposedCommunicationPs = prices.timePs - prices.computePs;
    prices.simulatedPs = timeline.totalPs;
    prices.simulatedExposedPs = std::min(timeline.totalPs, timeline.getExposedPs() + exchangePs);
    prices.exposedElsewherePs = prices.simulatedExposedPs - std::accumulate(timeline.exposedPs.raw().begin(),
                                                                            timeline.exposedPs.raw().end(), int64_t(0));
    prices.peakBytes = price.getCost().peakBytes;
    prices.limitBytes = price.report.limitBytes;
    prices.poolPercent = findPoolPercent(price.getMachine(), prices.peakBytes);
    prices.nearLimit = findNearLimit(price);
    prices.assumedLoops = price.report.assumedLoops;
    prices.assumedTrips = price.setting.options.assumedTrips;
    addFlops();
    addCollectives();
    addExisting();
    addTop();
    addMemory();
    prices.timeWidthPpm = computeTimeWidthPpm(prices, price.getMachine());
    prices.peakWidthPpm = price.getMachine().peakWidthPpm;
    return std::move(prices);
  }

private:
  void addFlops();
  void addCollectives();
  void addExisting();
  void addTop();
  void addMemory();
  void addReplicated();

  const Price &price;
  const Plan &plan;
  const Graph &graph;
  const Timeline &timeline;
  int64_t lowerBoundPs;
  bool isOneDevice;
  int64_t usefulFlopsPpm;
  Score &score;
  ScorePrices prices;
};

} // namespace

/// A local program does not state which devices do the same work, so all devices count in full.
void PriceWriter::addFlops() {
  FlopCount flops = price.report.flops;
  int64_t numDevices = plan.getMesh().getNumDevices();
  if (isOneDevice) {
    flops.total *= numDevices;
    flops.idealSeconds *= static_cast<double>(numDevices);
  }
  double usefulPart = static_cast<double>(usefulFlopsPpm) / wholePpm;
  flops.total = usefulFlopsPpm == wholePpm ? flops.total : std::llround(static_cast<double>(flops.total) * usefulPart);
  flops.idealSeconds *= usefulPart;
  prices.flops = flops.total;
  prices.mfu = flops.computeMfu(numDevices, prices.timePs);
  prices.lowerBoundPs = std::max(flops.computeIdealPs(numDevices), lowerBoundPs);
  for (AxisId axis : idRange<AxisId>(isOneDevice ? 0 : plan.axes.size()))
    prices.splitFlops.push_back(
        {plan.axes.getName(axis), static_cast<double>(price.report.splitFlopsPpm[axis]) / wholePpm});
}

void PriceWriter::addCollectives() {
  score.collectives.clear();
  for (const CollectiveLine &line : price.report.collectives)
    score.collectives.push_back({getName(line.kind).str(), getNames(plan.axes, line.axes), line.count,
                                 line.payloadBytes, line.wireBytes, line.timePs});
  for (const LevelLine &line : price.report.levels)
    prices.levels.push_back({price.getMachine().levels[line.level].name, line.bytes, line.busyPs});
}

/// Adds the cost of the program's existing collectives.
void PriceWriter::addExisting() {
  for (const auto &[existing, once] : llvm::zip_equal(plan.existing, price.existing)) {
    int64_t times = existing.times * price.model.getTimes(graph.ops[existing.op].region);
    int64_t timePs = std::min(maxTimePs, times * once.timePs);
    ScoreCollective &line = getLine(score, existing, plan.getMesh());
    line.count += times;
    line.bytes += times * existing.payloadBytes;
    line.wireBytes += times * once.getWireBytes();
    line.timePs = line.timePs.value_or(0) + timePs;
    LevelParts parts = existing.place(price.setting.placement);
    for (auto [number, level] : llvm::enumerate(prices.levels)) {
      level.bytes += number < once.wireBytes.size() ? times * once.wireBytes[number] : 0;
      auto isHere = [&, at = number](const LevelPart &part) { return part.size > 1 && part.level == at; };
      level.busyPs += llvm::any_of(parts, isHere) ? timePs : 0;
    }
    const Op &op = graph.ops[existing.op];
    prices.top.push_back({getName(existing.kind).str() + " of " + graph.getFullName(op.name, op.occurrence),
                          graph.getName(op.location).str(), timePs, times});
  }
}

/// An argument is called by its role; the price knows only what comes back and what the forward pass reads.
static llvm::StringRef getArgumentCategory(GroupKind kind) {
  switch (kind) {
  case GroupKind::Parameter:
    return getName(MemoryCategory::Parameters);
  case GroupKind::OptimizerState:
    return getName(MemoryCategory::OptimizerState);
  case GroupKind::State:
    return "state";
  case GroupKind::Input:
  case GroupKind::Counter:
  case GroupKind::Inner:
    break;
  }
  return getName(MemoryCategory::Arguments);
}

void PriceWriter::addMemory() {
  const MemoryReport &memory = price.report.memory;
  prices.memory = {memory.argumentBytes,  memory.resultBytes, memory.aliasedBytes,
                   memory.temporaryBytes, memory.peakBytes,   {}};
  ArgumentKinds roles = findArgumentKinds(plan.program.topology);
  for (const MemoryLine &line : memory.atPeak) {
    const Cell &cell = graph.cells[line.cell];
    bool isArgument = cell.kind == CellKind::Argument && !line.isResharded;
    llvm::StringRef category = isArgument ? getArgumentCategory(roles.kinds[line.cell]) : getName(line.category);
    prices.memory.atPeak.push_back(
        {getFullName(graph, cell), line.bytes, category.str(), graph.getName(cell.location).str()});
  }
  if (!isOneDevice)
    addReplicated();
}

/// The arguments of those among the values that are gradients of one.
static std::map<CellId, CellId> findGradients(const Topology &topology, llvm::ArrayRef<ReplicatedLine> lines) {
  std::map<CellId, CellId> gradients;
  if (lines.empty())
    return gradients;
  ArgumentKinds roles = findArgumentKinds(topology);
  for (CellId argument : topology.getGraph().arguments)
    if (roles.kinds[argument] == GroupKind::Parameter)
      for (CellId cell : findGradientPath(topology, argument))
        gradients.try_emplace(cell, argument);
  return gradients;
}

void PriceWriter::addReplicated() {
  const std::vector<ReplicatedLine> &lines = price.report.replicated;
  std::map<CellId, CellId> gradients = findGradients(plan.program.topology, lines);
  for (const ReplicatedLine &line : lines) {
    const Cell &cell = graph.cells[line.cell];
    auto parameter = gradients.find(line.cell);
    prices.replicated.push_back({getFullName(graph, cell), line.bytes, line.reason.str(),
                                 cell.kind == CellKind::Argument ? "" : graph.getName(cell.location).str(),
                                 parameter == gradients.end() ? "" : plan.program.names.getName(parameter->second)});
  }
}

void PriceWriter::addTop() {
  for (const OpTime &entry : llvm::ArrayRef(price.times.ops).take_front(20)) {
    const Op &op = graph.ops[entry.op];
    prices.top.push_back({graph.getName(op.opName).str() + " " + graph.getFullName(op.name, op.occurrence),
                          graph.getName(op.location).str(), entry.timePs, price.model.getTimes(op.region)});
  }
  for (const ScoreReshard &entry : score.reshards)
    prices.top.push_back({entry.steps + " of " + entry.value, entry.loc, entry.timePs.value_or(0), entry.count});
  llvm::sort(prices.top, [](const ScoreItem &a, const ScoreItem &b) {
    return std::tuple(-a.timePs, a.what, a.loc) < std::tuple(-b.timePs, b.what, b.loc);
  });
  if (prices.top.size() > 10)
    prices.top.resize(10);
}

Score buildScore(const Plan &plan, llvm::ArrayRef<UnknownOp> unknown, std::optional<SimulatedPrice> priced) {
  Score score;
  score.name = plan.getGraph().programName;
  score.mesh = plan.getMesh().str();
  score.reductions = plan.reductions;
  score.pieced = plan.pieced;
  for (const PiecedReshard &pieced : plan.pieces.getList())
    if (!pieced.isScatter)
      score.productsInPieces += static_cast<int64_t>(pieced.products.size());
  score.rotated = plan.rotatedNames;
  std::set<RegionId> loops;
  for (ReshardId id : plan.rotated)
    loops.insert(plan.reshards[id].region);
  score.rotatedLoops = static_cast<int64_t>(loops.size());
  score.reshards = describeReshards(plan, priced ? &priced->price : nullptr, priced ? &priced->timeline : nullptr);
  for (const UnknownOp &op : unknown)
    if (op.isUnpriced)
      score.unpriced.push_back({op.op, op.target, op.count, op.runs, op.places});
  if (!priced) {
    countPlannedCollectives(plan, score);
    return score;
  }
  const PriceSetting &setting = priced->price.setting;
  score.machine = setting.machine.name;
  score.placement = printPlacement(setting.placement, plan.getMesh(), setting.machine);
  score.prices = PriceWriter(*priced, score).run();
  return score;
}

std::optional<int64_t> findRecordedBound(const RecordedPrice &recorded, const Price &price) {
  if (recorded.timePs != price.computeTimePs() || recorded.peakBytes != price.getCost().peakBytes ||
      recorded.limitBytes != price.report.limitBytes)
    return std::nullopt;
  int64_t idealPs = price.report.flops.computeIdealPs(price.plan.getMesh().getNumDevices());
  return recorded.lowerBoundPs > idealPs ? std::optional(std::min(recorded.lowerBoundPs, maxTimePs)) : std::nullopt;
}

} // namespace partita::report
