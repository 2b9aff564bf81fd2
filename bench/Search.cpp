//===- Search.cpp - what a search finds, and how fast ---------------------===//
//
//   bench-search GRAPH.json MESH MACHINE [--search METHOD] [--budget N] ...
//
// Searches a flat program and prints, as a JSON object, the result, the costs
// of expert seeds, and the number of evaluated states with wall and processor
// time. Costs are those of the whole program, even if the search used a folded
// one. For plans that do not fit, it names the largest values at the peak.
// `--schedule FILE` (repeatable) prices schedules instead; `--check-folding N`
// compares prices of the folded and the whole program.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/Price.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Search/FoldingCheck.h"
#include "partita/Search/PlanSearch.h"
#include "partita/Simulate/PlanTimeline.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <ctime>

using namespace partita;
using namespace partita::search;

namespace {

struct BenchOptions {
  SearchOptions search;
  CostOptions cost;
  std::string memoryLimit;
  std::vector<std::string> schedules;
  int64_t checkedLists = 0;
  std::vector<std::string> positional;

  void visitOptions(OptionVisitor &visitor) {
    search.visitOptions(visitor);
    cost.visitOptions(visitor);
    visitor.text({"memory-limit", "amount", "Memory that a step may take on a device"}, memoryLimit);
    visitor.list({"schedule", "path", "A schedule to price"}, schedules);
    visitor.integer({"check-folding", "lists", "Prices so many lists of moves on the folded and on the whole program"},
                    checkedLists, 0, 1'000'000);
  }
};

using Json = llvm::json::OStream;

} // namespace

static void writeCost(const Cost &cost, int64_t limitBytes, Json &json) {
  json.attribute("time_ps", cost.timePs);
  json.attribute("compute_ps", cost.computePs);
  json.attribute("exposed_ps", cost.exposedPs);
  json.attribute("peak_bytes", cost.peakBytes);
  json.attribute("fits", cost.peakBytes <= limitBytes);
}

static void writeFound(const FoundTactics &found, double seconds, double processorSeconds, Json &json) {
  writeCost(found.cost, found.limitBytes, json);
  json.attribute("lower_bound_ps", found.lowerBoundPs);
  json.attribute("budget", found.budget);
  json.attribute("evaluations", found.numEvaluations);
  json.attribute("winner_stage", found.winnerStage);
  json.attribute("seconds", seconds);
  json.attribute("processor_seconds", processorSeconds);
  json.attribute("search_seconds", found.searchSeconds);
  json.attribute("stop_reason", getName(found.stopReason));
  json.attribute("ops", int64_t(found.numOps));
  json.attribute("searched_ops", int64_t(found.numSearchedOps));
  json.attribute("groups", int64_t(found.numGroups));
  json.attribute("moves", int64_t(found.numMoves));
  json.attribute("strategy", found.summary);
  json.attributeArray("words", [&] {
    for (const std::string &words : found.words)
      json.value(words);
  });
  json.attributeBegin("schedule");
  writeSchedule(Schedule{found.tactics}, json);
  json.attributeEnd();
  json.attributeArray("seeds", [&] {
    for (const Strategy &seed : found.seeds)
      json.object([&] {
        json.attribute("name", seed.name);
        json.attribute("time_ps", seed.timePs);
        json.attribute("peak_bytes", seed.peakBytes);
        json.attribute("fits", seed.peakBytes <= found.limitBytes);
      });
  });
}

static void writeCheck(const FoldingCheck &check, Json &json) {
  json.attribute("ops", int64_t(check.numOps));
  json.attribute("searched_ops", int64_t(check.numSearchedOps));
  json.attribute("lists", check.numLists);
  json.attribute("different", check.numDifferent);
  json.attribute("timeline_ppm", check.worstTimelinePpm);
  json.attribute("without_timeline", check.numWithoutTimeline);
  if (check.numDifferent == 0)
    return;
  json.attribute("first", check.words);
  json.attributeObject("folded", [&] { writeCost(check.folded, INT64_MAX, json); });
  json.attributeObject("whole", [&] { writeCost(check.whole, INT64_MAX, json); });
}

/// A plan's cost by the formula, and its time on the simulated timeline.
struct BothTimes {
  Cost cost;
  int64_t simulatedPs = 0;
};

/// Prices schedules on the whole program.
class SchedulePricer {
public:
  explicit SchedulePricer(const PlanRequest &request)
      : request(request), topology(request.analysis.getTopology()), liveTimes(topology),
        model(topology, request.axes, request.machine, request.placement, request.cost, liveTimes),
        names(topology.getGraph()) {}

  Result<BothTimes> price(const Schedule &schedule) {
    Assignment assignment(topology, request.axes);
    Result<ScheduleOutcome> outcome = applySchedule(schedule, names, assignment, nullptr);
    if (!outcome)
      return outcome.error();
    ReshardPlanner planner(request.axes);
    Reshards reshards = buildReshards(assignment, planner);
    CostTracker tracker(model, assignment, planner);
    PlanTimes times = computePlanTimes(tracker, reshards);
    return BothTimes{tracker.getCost(), simulate::simulatePlan({model, times, reshards, planner, {}, {}}).totalPs};
  }
  /// The names of the largest values at the peak.
  std::vector<std::string> listAtPeak(const Schedule &schedule) {
    constexpr size_t maxNames = 4;
    Assignment assignment(topology, request.axes);
    std::vector<std::string> found;
    if (!applySchedule(schedule, names, assignment, nullptr))
      return found;
    ReshardPlanner planner(request.axes);
    for (const AliveCell &alive : CostTracker(model, assignment, planner).listAtPeak())
      if (std::string name = names.getName(alive.cell); found.size() < maxNames && !llvm::is_contained(found, name))
        found.push_back(std::move(name));
    return found;
  }
  Result<BothTimes> price(const std::string &path) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return Error::cannotReadOrWrite({path, 0, 0}, buffer.getError().message());
    Result<Schedule> schedule = readSchedule((*buffer)->getBuffer(), path);
    if (!schedule)
      return schedule.error();
    // Schedules are written for meshes of any size: tiles that do not divide are skipped.
    for (Tactic &tactic : schedule->tactics)
      tactic.isOptional = true;
    return price(*schedule);
  }
  int64_t getMemoryLimit() const { return model.getMemoryLimit(); }

private:
  const PlanRequest &request;
  const Topology &topology;
  LiveTimes liveTimes;
  CostModel model;
  CellNames names;
};

static Status priceSchedules(const PlanRequest &request, llvm::ArrayRef<std::string> paths, Json &json) {
  SchedulePricer pricer(request);
  for (const std::string &path : paths) {
    Result<BothTimes> times = pricer.price(path);
    if (!times)
      return times.error();
    json.object([&] {
      json.attribute("schedule", path);
      writeCost(times->cost, pricer.getMemoryLimit(), json);
      json.attribute("simulated_ps", times->simulatedPs);
    });
  }
  return std::nullopt;
}

static Status run(const BenchOptions &options) {
  auto buffer = llvm::MemoryBuffer::getFile(options.positional[0]);
  if (!buffer)
    return Error::cannotReadOrWrite({options.positional[0], 0, 0}, buffer.getError().message());
  Result<Graph> graph = readGraph((*buffer)->getBuffer(), options.positional[0]);
  if (!graph)
    return graph.error();
  Result<Mesh> mesh = parseMesh(options.positional[1]);
  if (!mesh)
    return mesh.error();
  Result<Machine> machine = resolveMachine(options.positional[2]);
  if (!machine)
    return machine.error();
  Result<Placement> placement = placeRowMajor(*mesh, *machine);
  if (!placement)
    return placement.error();
  Result<std::vector<Goal>> goals = parseGoals(options.search.goals);
  if (!goals)
    return goals.error();
  Result<CostOptions> cost = parseMemoryLimit(options.memoryLimit, options.cost);
  if (!cost)
    return cost.error();
  Axes axes = refineAxes(*mesh, *graph);
  Analysis analysis(*graph);
  PlanRequest request{analysis, axes,   *machine, *placement, *cost, options.search, {},
                      {},       *goals, {},       nullptr,    false, std::nullopt};
  Json json(llvm::outs());
  if (!options.schedules.empty()) {
    Status error;
    json.array([&] { error = priceSchedules(request, options.schedules, json); });
    llvm::outs() << "\n";
    return error;
  }
  if (options.checkedLists > 0) {
    Result<FoldingCheck> check = checkFolding(request, options.checkedLists);
    if (!check)
      return check.error();
    json.object([&] { writeCheck(*check, json); });
    llvm::outs() << "\n";
    return std::nullopt;
  }
  auto start = std::chrono::steady_clock::now();
  std::clock_t startClock = std::clock();
  Result<FoundTactics> found = findTactics(request);
  if (!found)
    return found.error();
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  double processorSeconds = double(std::clock() - startClock) / CLOCKS_PER_SEC;
  // The search may have used a folded program; report costs of the whole one.
  SchedulePricer pricer(request);
  Result<BothTimes> whole = pricer.price(Schedule{found->tactics});
  if (!whole)
    return whole.error();
  bool isExact = whole->cost == found->cost;
  found->cost = whole->cost;
  json.object([&] {
    writeFound(*found, seconds, processorSeconds, json);
    json.attribute("simulated_ps", whole->simulatedPs);
    json.attribute("folding_is_exact", isExact);
    json.attributeArray("at_peak", [&] {
      if (found->cost.peakBytes > found->limitBytes)
        for (const std::string &name : pricer.listAtPeak(Schedule{found->tactics}))
          json.value(name);
    });
    json.attribute("limit_bytes", found->limitBytes);
  });
  llvm::outs() << "\n";
  return std::nullopt;
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  BenchOptions options;
  Status error = parseFlags(words, [&](OptionVisitor &visitor) { options.visitOptions(visitor); }, options.positional);
  if (!error && options.positional.size() != 3)
    error = Error::usage("usage: bench-search GRAPH.json MESH MACHINE [options]");
  if (!error)
    error = run(options);
  if (!error)
    return 0;
  llvm::errs() << error->str() << "\n";
  return static_cast<int>(error->code);
}
