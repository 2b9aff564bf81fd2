//===- Pricing.cpp - a plan on a machine ----------------------------------===//

#include "partita/Driver/Pricing.h"

#include "partita/Machine/MachineFile.h"
#include "partita/Simulate/Durations.h"
#include "partita/Simulate/Trace.h"
#include "partita/Support/Containment.h"

#include "llvm/ADT/StringSwitch.h"

namespace partita {

/// A collective of the program runs on the outermost level that it uses. The ops of a manual computation run one after
/// the other, its collectives among them.
static void addOwnCollectives(const CostModel &model, llvm::ArrayRef<OwnCollective> list,
                              llvm::ArrayRef<CollectivePrice> prices, Durations &durations) {
  const Graph &graph = model.getGraph();
  durations.opStreams.resize(graph.ops.size(), computeStream);
  for (const auto &[own, price] : llvm::zip_equal(list, prices)) {
    int64_t &duration = durations.ops[own.op];
    if (graph.ops[own.op].opClass == OpClass::Collective)
      duration = 0;
    duration = std::min(maxTimePs, duration + own.times * price.timePs);
    uint32_t &stream = durations.opStreams[own.op];
    for (const LevelPart &part : own.place(model.getPlacement()))
      if (part.size > 1)
        stream = stream == computeStream ? part.level + 1 : std::min(stream, part.level + 1);
  }
}

Timeline simulatePlan(const CostModel &model, const CostTracker &tracker, const Transfers &transfers,
                      const ReshardPlanner &planner, llvm::ArrayRef<OwnCollective> own,
                      llvm::ArrayRef<CollectivePrice> ownPrices) {
  SimulationOptions options;
  options.assumedTrips = model.getOptions().assumedTrips;
  options.issuePs = model.getMachine().device.issuePs.value;
  Durations durations = computeDurations(model, tracker, transfers, planner);
  if (!own.empty())
    addOwnCollectives(model, own, ownPrices, durations);
  return simulate(model.getTopology(), transfers, durations, options);
}

Pricing::Pricing(const Planning &planning, Machine &&given, Placement &&place, const CostOptions &options)
    : machine(std::move(given)), placement(std::move(place)), liveTimes(*planning.topology),
      model(*planning.topology, planning.axes, machine, placement, options, liveTimes), planner(planning.axes),
      transfers(buildTransfers(*planning.assignment, planner)), tracker(model, *planning.assignment, planner),
      report(buildCostReport(model, *planning.assignment, planner)) {
  for (const OwnCollective &own : planning.own)
    ownPrices.push_back(priceOwnCollective(model, own));
  timeline = simulatePlan(model, tracker, transfers, planner, planning.own, ownPrices);
}

Result<CostOptions> parseMemoryLimit(llvm::StringRef text, CostOptions options) {
  if (text.empty())
    return options;
  llvm::StringRef rest = text, unit = text.drop_while([](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  double number = 0;
  bool isNumber = !rest.drop_back(unit.size()).getAsDouble(number) && number > 0;
  unit = unit.trim();
  if (isNumber && unit == "%" && number <= 100) {
    options.memoryLimitPpm = static_cast<int64_t>(number * 10'000);
    return options;
  }
  double scale = llvm::StringSwitch<double>(unit)
                     .Cases({"", "B"}, 1)
                     .Cases({"kB", "KB"}, 1e3)
                     .Case("KiB", 1 << 10)
                     .Case("MB", 1e6)
                     .Case("GB", 1e9)
                     .Case("TB", 1e12)
                     .Case("MiB", 1 << 20)
                     .Case("GiB", 1 << 30)
                     .Case("TiB", double(int64_t(1) << 40))
                     .Default(0);
  if (!isNumber || scale == 0 || number * scale < 1 || number * scale > 1e15)
    return Error::usage("--memory-limit '" + text.str() + "' is not an amount of memory")
        .withRemedy("write 90% of the device's memory, or 75GB, 512MiB");
  options.memoryLimitBytes = static_cast<int64_t>(number * scale);
  return options;
}

Result<std::unique_ptr<Pricing>> makePricing(const Planning &planning, const Options &options, StageClock &clock) {
  Result<Machine> machine = resolveMachine(options.machine);
  if (!machine)
    return machine.error();
  for (const std::string &note : machine->notes)
    llvm::errs() << "partita: note: " << note << "\n";
  // A plan has its own, on its own machine.
  bool isPlans = options.placement.empty() && planning.planMachine == machine->name;
  const std::string &text = isPlans ? planning.planPlacement : options.placement;
  Result<Placement> placement = parsePlacement(text, planning.axes.mesh, *machine);
  if (!placement)
    return placement.error();
  Result<CostOptions> cost = parseMemoryLimit(options.memoryLimit, options.cost);
  if (!cost)
    return cost.error();
  setActivity("pricing the plan");
  return clock.run(
      "price", [&] { return std::make_unique<Pricing>(planning, std::move(*machine), std::move(*placement), *cost); });
}

Result<std::unique_ptr<Pricing>> makePricingIfAsked(const Planning &planning, const Options &options,
                                                    StageClock &clock) {
  if (options.machine.empty())
    return std::unique_ptr<Pricing>();
  return makePricing(planning, options, clock);
}

std::string printTrace(const Pricing &pricing) {
  TraceNames names;
  names.graph = &pricing.model.getGraph();
  names.transfers = &pricing.transfers;
  names.planner = &pricing.planner;
  names.streams.push_back("compute");
  for (const Level &level : pricing.machine.levels)
    names.streams.push_back(level.name);
  for (int64_t bytes : pricing.tracker.listLiveBytes())
    names.liveBytes.push_back(bytes);
  std::string text;
  llvm::raw_string_ostream out(text);
  writeTrace(pricing.timeline, names, out);
  return text;
}

} // namespace partita
