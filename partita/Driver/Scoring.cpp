//===- Scoring.cpp - `partita score` --------------------------------------===//

#include "partita/Driver/Scoring.h"

#include "partita/Driver/ReshardDescriptions.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace partita {

namespace {

/// Fills in what a machine says.
class PriceBuilder {
public:
  PriceBuilder(const Planning &planning, const Pricing &pricing, ProgramScope scope, Score &score)
      : graph(planning.getGraph()), planning(planning), pricing(pricing), scope(scope), score(score) {}

  ScorePrices run() {
    const Cost &cost = pricing.tracker.getCost();
    prices.formulaPs = cost.timePs;
    prices.timePs = pricing.timeline.totalPs;
    prices.computePs = pricing.timeline.busyPs[computeStream];
    for (int64_t busy : llvm::ArrayRef(pricing.timeline.busyPs).drop_front())
      prices.communicationPs += busy;
    prices.exposedCommunicationPs = pricing.timeline.getExposedPs();
    prices.peakBytes = cost.peakBytes;
    prices.limitBytes = pricing.model.getMemoryLimit();
    addFlops();
    addTransfers();
    addOwn();
    addTop();
    addMemory();
    return std::move(prices);
  }

private:
  void addFlops();
  void addTransfers();
  void addOwn();
  void addTop();
  void addMemory();

  const Graph &graph;
  const Planning &planning;
  const Pricing &pricing;
  ProgramScope scope;
  Score &score;
  ScorePrices prices;
};

} // namespace

/// The line of collectives that are alike; a new one if there is none.
static ScoreCollective &getLine(Score &score, const OwnCollective &own, const Mesh &mesh) {
  std::string kind = getName(own.kind).str();
  std::vector<std::string> axes = own.getAxes(mesh);
  for (ScoreCollective &line : score.collectives)
    if (line.kind == kind && line.axes == axes)
      return line;
  score.collectives.push_back({kind, axes, 0, 0, 0, std::nullopt});
  return score.collectives.back();
}

/// Flops of contractions by element type; the rate of the type that has most of them is the peak that MFU is of. A
/// program of one device says nothing of who does the same, so each device counts with all that it does.
void PriceBuilder::addFlops() {
  const Device &device = pricing.machine.device;
  int64_t numDevices = planning.axes.mesh.getNumDevices();
  int64_t numCopies = scope == ProgramScope::OneDevice ? numDevices : 1;
  std::map<std::string, int64_t> byType;
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    if (!hasProducts(op) || op.flops == 0)
      continue;
    int64_t flops = numCopies * op.flops * pricing.model.getTimes(op.region);
    prices.flops += flops;
    byType[graph.getName(graph.cells[graph.getOperands(id)[0]].element).str()] += flops;
  }
  for (AxisId axis : idRange<AxisId>(scope == ProgramScope::OneDevice ? 0 : planning.axes.size()))
    prices.splitFlops.push_back(
        {planning.axes.getName(axis), static_cast<double>(pricing.report.splitFlopsPpm[axis]) / wholePpm});
  int64_t most = 0, peak = 0;
  double idealSeconds = 0;
  for (const auto &[type, flops] : byType) {
    int64_t rate = getPeakFlopsPerSecond(device, type);
    if (rate > 0)
      idealSeconds += static_cast<double>(flops) / static_cast<double>(rate);
    if (rate > 0 && flops > most)
      std::tie(most, peak) = std::pair(flops, rate);
  }
  auto devices = static_cast<double>(numDevices);
  prices.lowerBoundPs = static_cast<int64_t>(idealSeconds / devices * 1e12);
  if (!planning.found.empty())
    prices.lowerBoundPs = std::max(prices.lowerBoundPs, planning.found.back().lowerBoundPs);
  if (peak > 0 && prices.timePs > 0)
    prices.mfu = static_cast<double>(prices.flops) /
                 (devices * static_cast<double>(peak) * static_cast<double>(prices.timePs) / 1e12);
}

void PriceBuilder::addTransfers() {
  score.collectives.clear();
  for (const CollectiveLine &line : pricing.report.collectives)
    score.collectives.push_back({getName(line.kind).str(), getNames(planning.axes, line.axes), line.count,
                                 line.payloadBytes, line.wireBytes, line.timePs});
  std::map<std::tuple<CellId, OpId, ReshardPlanId>, const ReshardLine *> lines;
  for (const ReshardLine &line : pricing.report.reshards)
    lines[{line.cell, line.op, line.plan}] = &line;
  for (TransferId id : idRange<TransferId>(pricing.transfers.size())) {
    const Transfer &transfer = pricing.transfers[id];
    auto found = lines.find({transfer.cell, transfer.op, transfer.plan});
    if (found == lines.end())
      continue;
    ScoreReshard &reshard = score.reshards[id.get()];
    reshard.timePs = found->second->timePs;
    reshard.exposedPs = found->second->exposedPs;
    reshard.count = found->second->count;
    reshard.bytes = found->second->payloadBytes;
  }
  for (const LevelLine &line : pricing.report.levels)
    prices.levels.push_back({pricing.machine.levels[line.level].name, line.bytes, line.busyPs});
}

/// What the program's own collectives cost, beside those of the plan.
void PriceBuilder::addOwn() {
  for (const auto &[own, price] : llvm::zip_equal(planning.own, pricing.ownPrices)) {
    int64_t times = own.times * pricing.model.getTimes(graph.ops[own.op].region);
    int64_t timePs = std::min(maxTimePs, times * price.timePs);
    prices.formulaPs += timePs;
    ScoreCollective &line = getLine(score, own, planning.axes.mesh);
    line.count += times;
    line.bytes += times * own.payloadBytes;
    line.wireBytes += times * price.getWireBytes();
    line.timePs = line.timePs.value_or(0) + timePs;
    if (prices.levels.empty())
      for (const Level &level : pricing.machine.levels)
        prices.levels.push_back({level.name, 0, 0});
    LevelParts parts = own.place(pricing.placement);
    for (auto [number, level] : llvm::enumerate(prices.levels)) {
      level.bytes += number < price.wireBytes.size() ? times * price.wireBytes[number] : 0;
      auto isHere = [&, at = number](const LevelPart &part) { return part.size > 1 && part.level == at; };
      level.busyPs += llvm::any_of(parts, isHere) ? timePs : 0;
    }
    const Op &op = graph.ops[own.op];
    prices.top.push_back({getName(own.kind).str() + " of " + graph.getFullName(op.name, op.occurrence),
                          graph.getName(op.place).str(), timePs, times});
  }
}

void PriceBuilder::addMemory() {
  const MemoryReport &memory = pricing.report.memory;
  prices.memory = {memory.argumentBytes,  memory.resultBytes, memory.aliasedBytes,
                   memory.temporaryBytes, memory.peakBytes,   {}};
  for (const MemoryLine &line : memory.atPeak) {
    const Cell &cell = graph.cells[line.cell];
    prices.memory.atPeak.push_back({graph.getFullName(cell.name, cell.occurrence), line.bytes,
                                    getName(line.category).str(), graph.getName(cell.place).str()});
  }
  if (scope == ProgramScope::OneDevice)
    return;
  for (const ReplicatedLine &line : pricing.report.replicated) {
    const Cell &cell = graph.cells[line.cell];
    prices.replicated.push_back({graph.getFullName(cell.name, cell.occurrence), line.bytes, line.reason.str()});
  }
}

void PriceBuilder::addTop() {
  std::vector<OpTime> ops = pricing.tracker.listOps();
  for (const OpTime &entry : llvm::ArrayRef(ops).take_front(20)) {
    const Op &op = graph.ops[entry.op];
    prices.top.push_back({graph.getName(op.opName).str() + " " + graph.getFullName(op.name, op.occurrence),
                          graph.getName(op.place).str(), entry.timePs, pricing.model.getTimes(op.region)});
  }
  for (const ScoreReshard &entry : score.reshards)
    prices.top.push_back({entry.steps + " of " + entry.value, entry.loc, entry.timePs.value_or(0), entry.count});
  llvm::sort(prices.top, [](const ScoreItem &a, const ScoreItem &b) {
    return std::tuple(-a.timePs, a.what, a.loc) < std::tuple(-b.timePs, b.what, b.loc);
  });
  if (prices.top.size() > 10)
    prices.top.resize(10);
}

Score buildScore(const Planning &planning, const Transfers &transfers, const ReshardPlanner &planner,
                 const Pricing *pricing, ProgramScope scope) {
  Score score;
  score.name = planning.getGraph().programName;
  score.mesh = planning.axes.mesh.str();
  for (const CollectiveCount &count : countCollectives(planning.getGraph(), planner, transfers))
    score.collectives.push_back({getName(count.kind).str(), getNames(planning.axes, count.axes), count.count,
                                 count.payloadBytes, count.sentBytes, std::nullopt});
  for (const OwnCollective &own : planning.own) {
    int64_t trips = planning.getGraph().getMultiplicity(planning.getGraph().ops[own.op].region);
    int64_t times = own.times * (trips < 0 ? 1 : trips);
    ScoreCollective &line = getLine(score, own, planning.axes.mesh);
    line.count += times;
    line.bytes += times * own.payloadBytes;
    line.wireBytes += times * own.sentBytes;
  }
  score.reshards = describeReshards(planning, transfers, planner);
  for (const UnknownOp &op : planning.flattened.unknown)
    score.unpriced.push_back({op.op, op.target, op.count});
  if (!pricing)
    return score;
  score.machine = pricing->machine.name;
  score.placement = printPlacement(pricing->placement, planning.axes.mesh, pricing->machine);
  score.prices = PriceBuilder(planning, *pricing, scope, score).run();
  return score;
}

} // namespace partita
