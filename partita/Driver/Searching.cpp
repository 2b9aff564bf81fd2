//===- Searching.cpp - automatic tactics become found ones ----------------===//

#include "partita/Driver/Searching.h"

#include "partita/Driver/Pricing.h"

#include "partita/Machine/MachineFile.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Interrupt.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita {

Schedule makeSearchedSchedule(const Options &options) {
  Schedule schedule;
  if (options.search.method == "none")
    return schedule;
  Tactic tactic;
  tactic.name = "auto";
  tactic.automatic.emplace();
  schedule.tactics.push_back(std::move(tactic));
  return schedule;
}

static Result<std::vector<Goal>> readGoals(const Tactic &tactic, const Options &options) {
  if (tactic.automatic->goals.empty())
    return parseGoals(options.search.goals);
  Result<std::vector<Goal>> goals = parseGoals(llvm::join(tactic.automatic->goals, ","));
  if (!goals)
    return Error::badInput(tactic.place, goals.error().reason).withRemedy(goals.error().remedy);
  return goals;
}

static Status checkAxes(const Tactic &tactic, const Axes &axes) {
  for (const std::string &name : tactic.automatic->axes)
    if (!axes.mesh.findAxis(name) && axes.find(name).empty())
      return Error::badInput(tactic.place, "the mesh has no axis '" + name + "'")
          .withRemedy("it is " + axes.mesh.str());
  return std::nullopt;
}

namespace {

/// What all searches of one schedule have in common.
struct SearchSetting {
  Machine machine;
  Placement placement;
  CostOptions cost;
  OracleOptions clocks;
};

/// Timelines of tactics on the whole program, as they are reported of plans; what does not depend on the tactics is
/// made once.
class WholeTimelines {
public:
  WholeTimelines(const Graph &graph, const Axes &axes, const SearchSetting &setting, const Schedule &before,
                 llvm::ArrayRef<OwnCollective> own)
      : before(before), own(own), names(graph), topology(graph), liveTimes(topology),
        model(topology, axes, setting.machine, setting.placement, setting.cost, liveTimes), planner(axes) {
    for (const OwnCollective &each : own)
      ownPrices.push_back(priceOwnCollective(model, each));
  }

  /// Nothing if the tactics cannot be applied.
  std::optional<int64_t> computePs(llvm::ArrayRef<Tactic> tactics) {
    Schedule schedule = before;
    llvm::append_range(schedule.tactics, tactics);
    Assignment assignment(topology, model.getAxes());
    if (!applySchedule(schedule, names, assignment, nullptr))
      return std::nullopt;
    Transfers transfers = buildTransfers(assignment, planner);
    CostTracker tracker(model, assignment, planner);
    return simulatePlan(model, tracker, transfers, planner, own, ownPrices).totalPs;
  }

private:
  const Schedule &before;
  llvm::ArrayRef<OwnCollective> own;
  CellNames names;
  Topology topology;
  LiveTimes liveTimes;
  CostModel model;
  ReshardPlanner planner;
  std::vector<CollectivePrice> ownPrices;
};

} // namespace

static Result<SearchSetting> makeSetting(const Mesh &mesh, const Options &options) {
  if (options.machine.empty())
    return Error::usage("a search needs a machine to plan for").withRemedy("give one with --machine h100-sxm:1x8");
  Result<Machine> machine = resolveMachine(options.machine);
  if (!machine)
    return machine.error();
  Result<Placement> placement = parsePlacement(options.placement, mesh, *machine);
  if (!placement)
    return placement.error();
  Result<CostOptions> cost = parseMemoryLimit(options.memoryLimit, options.cost);
  if (!cost)
    return cost.error();
  Result<int64_t> deadline = parseDeadline(options.search.deadline);
  if (!deadline)
    return deadline.error();
  OracleOptions clocks;
  if (*deadline > 0)
    clocks.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(*deadline);
  clocks.isInterrupted = isInterrupted;
  return SearchSetting{std::move(*machine), std::move(*placement), *cost, std::move(clocks)};
}

/// A state as a line of JSON.
static std::string printState(const LookedAt &state, llvm::ArrayRef<Goal> goals) {
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("evaluation", state.number);
    json.attribute("budget", state.budget);
    json.attribute("best", state.isBest);
    json.attributeObject("goals", [&] {
      for (size_t i = 0; i < goals.size(); ++i)
        json.attribute(getName(goals[i]), state.rating.parts[i]);
    });
    json.attributeArray("moves", [&] {
      for (const std::string &words : state.words)
        json.value(words);
    });
  });
  json.flush();
  return text + "\n";
}

/// The live line: `best 312.34 ms, 20.6 GB, fits; 1024 states`.
static std::string printLive(int64_t number, const Rating &best, llvm::ArrayRef<Goal> goals) {
  std::string text = "\rbest ";
  for (auto [i, goal] : llvm::enumerate(listParts(goals))) {
    double amount = double(best.parts[i]);
    switch (goal) {
    case Goal::Fit:
      text += amount == 0 ? "fits" : llvm::formatv("short by {0:f2} GB", amount / 1e9).str();
      break;
    case Goal::Time:
      text += llvm::formatv("{0:f2} ms", amount / 1e9);
      break;
    case Goal::Memory:
      text += llvm::formatv("{0:f2} GB", amount / 1e9);
      break;
    case Goal::Communication:
      text += llvm::formatv("{0:f2} ms of communication", amount / 1e9);
      break;
    }
    text += ", ";
  }
  return text + llvm::formatv("{0} states    ", number).str();
}

/// Who is told of states: `--dump-evaluated` of all, `--progress jsonl` of those that are better and of every
/// hundredth, so that a bar moves, and a terminal likewise.
static std::function<void(const LookedAt &)> makeWatcher(const Options &options, const std::vector<Goal> &goals,
                                                         std::string &dump) {
  bool isDumped = !options.search.dumpEvaluated.empty(), isJson = options.search.progress == "jsonl";
  bool isLive = !isJson && llvm::errs().is_displayed();
  if (!isDumped && !isJson && !isLive)
    return nullptr;
  return [=, goals = goals, &dump, best = Rating::worst()](const LookedAt &state) mutable {
    bool isShown = state.isBest || state.number % 100 == 0;
    if (isDumped)
      dump += printState(state, goals);
    if (state.isBest)
      best = state.rating;
    if (isJson && isShown)
      llvm::errs() << printState(state, goals);
    if (isLive && isShown)
      llvm::errs() << printLive(state.number, best, goals);
  };
}

static Result<FoundTactics> search(const Analysis &analysis, const Axes &axes, const SearchSetting &setting,
                                   const Schedule &before, const Tactic &tactic, const Options &options,
                                   std::optional<llvm::ArrayRef<OwnCollective>> own) {
  Result<std::vector<Goal>> goals = readGoals(tactic, options);
  if (!goals)
    return goals.error();
  if (Status error = checkAxes(tactic, axes))
    return std::move(*error);
  PlanRequest request{analysis,          axes,           setting.machine, setting.placement,
                      setting.cost,      options.search, before,          tactic.automatic->axes,
                      std::move(*goals), setting.clocks, nullptr};
  request.search.seed = options.validator.seed;
  std::string dump;
  request.onState = makeWatcher(options, request.goals, dump);
  request.watchesAll = !options.search.dumpEvaluated.empty() || !options.search.progress.empty();
  std::optional<WholeTimelines> timelines;
  if (own)
    request.schedulePs = [&](llvm::ArrayRef<Tactic> tactics) {
      if (!timelines)
        timelines.emplace(analysis.getGraph(), axes, setting, before, *own);
      return timelines->computePs(tactics);
    };
  Result<FoundTactics> found = findTactics(request);
  if (request.onState && options.search.progress.empty() && llvm::errs().is_displayed()) {
    if (found && found->lowerBoundPs > 0)
      llvm::errs() << llvm::formatv("bound {0:f2} ms", double(found->lowerBoundPs) / 1e9);
    llvm::errs() << "\n";
  }
  if (!dump.empty())
    if (Status error = writeFilesTogether({{options.search.dumpEvaluated, std::move(dump)}}))
      return std::move(*error);
  return found;
}

Result<SearchedSchedule> searchSchedule(const Graph &graph, const Mesh &mesh, Schedule schedule, const Options &options,
                                        std::optional<llvm::ArrayRef<OwnCollective>> own) {
  SearchedSchedule result;
  if (llvm::none_of(schedule.tactics, [](const Tactic &tactic) { return tactic.automatic.has_value(); })) {
    result.schedule = std::move(schedule);
    return result;
  }
  Result<SearchSetting> setting = makeSetting(mesh, options);
  if (!setting)
    return setting.error();
  Axes axes = refineAxes(mesh, graph, collectAxes(schedule));
  setActivity("searching");
  catchInterrupts();
  Analysis analysis(graph);
  for (Tactic &tactic : schedule.tactics) {
    if (!tactic.automatic) {
      result.schedule.tactics.push_back(std::move(tactic));
      continue;
    }
    Result<FoundTactics> found = search(analysis, axes, *setting, result.schedule, tactic, options, own);
    if (!found)
      return found.error();
    for (Tactic &each : found->tactics) {
      // Names of tactics are unlike each other in the whole schedule.
      auto isTaken = [&](const Tactic &other) { return other.name == each.name; };
      while (llvm::any_of(result.schedule.tactics, isTaken))
        each.name += "'";
      result.schedule.tactics.push_back(each);
    }
    result.found.push_back(std::move(*found));
  }
  return result;
}

static std::vector<Mesh> listMeshes(int64_t numDevices) {
  std::vector<Mesh> meshes{Mesh{{{"data", numDevices}}}};
  for (int64_t model = 2; model <= numDevices / 2; ++model)
    if (numDevices % model == 0)
      meshes.push_back(Mesh{{{"data", numDevices / model}, {"model", model}}});
  return meshes;
}

Result<std::vector<MeshTrial>> searchMeshes(const Graph &graph, int64_t numDevices, const Schedule &schedule,
                                            const Options &options) {
  Options quick = options;
  constexpr int64_t quickBudget = 250;
  quick.search.budget = options.search.budget > 0 ? std::max<int64_t>(1, options.search.budget / 4) : quickBudget;
  quick.search.dumpEvaluated.clear();
  Result<std::vector<Goal>> goals = parseGoals(options.search.goals);
  if (!goals)
    return goals.error();
  std::vector<MeshTrial> trials;
  Status firstError;
  for (const Mesh &mesh : listMeshes(numDevices)) {
    Result<SearchedSchedule> searched = searchSchedule(graph, mesh, schedule, quick);
    if (!searched) {
      if (!firstError)
        firstError = searched.error();
      continue;
    }
    if (searched->found.empty())
      return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy("give one with --mesh");
    const FoundTactics &found = searched->found.back();
    trials.push_back({mesh, found.cost, found.limitBytes, computeRating(*goals, found.cost, found.limitBytes)});
  }
  if (trials.empty())
    return std::move(*firstError);
  // Of equals the one with fewer axes.
  auto best = llvm::min_element(trials, [](const MeshTrial &a, const MeshTrial &b) { return a.rating < b.rating; });
  std::rotate(trials.begin(), best, std::next(best));
  std::sort(std::next(trials.begin()), trials.end(), [](const MeshTrial &a, const MeshTrial &b) {
    return std::tie(a.rating, a.mesh.axes.front().size) < std::tie(b.rating, b.mesh.axes.front().size);
  });
  return trials;
}

//===----------------------------------------------------------------------===//
// For people and files
//===----------------------------------------------------------------------===//

static std::string describe(int64_t timePs, int64_t peakBytes, int64_t limitBytes) {
  return llvm::formatv("{0,10:f3} ms {1,9:f2} GB{2}", double(timePs) / 1e9, double(peakBytes) / 1e9,
                       peakBytes <= limitBytes ? "" : "  does not fit");
}

/// By its timeline, if it has one.
static std::string describe(const Strategy &plan, int64_t limitBytes) {
  return describe(plan.scheduledPs.value_or(plan.timePs), plan.peakBytes, limitBytes) + "  " + plan.name + "\n";
}

std::string printMeshes(llvm::ArrayRef<MeshTrial> trials) {
  std::string text;
  for (const MeshTrial &trial : trials)
    text += (&trial == trials.data() ? "shapes of the mesh, each searched with a quarter of the budget:\n" : "") +
            describe(trial.cost.timePs, trial.cost.peakBytes, trial.limitBytes) + "  " + trial.mesh.str() + "\n";
  return text;
}

/// What it is held against. Times of timelines stand beside each other, and so do those of the formula, never both in
/// one table.
static void printRivals(const FoundTactics &found, llvm::raw_ostream &out) {
  constexpr size_t maxSeeds = 8;
  std::vector<const Strategy *> beside, further;
  auto add = [&](const Strategy &plan) {
    (plan.scheduledPs.has_value() == found.scheduledPs.has_value() ? beside : further).push_back(&plan);
  };
  for (const Strategy &seed : llvm::ArrayRef(found.seeds).take_front(maxSeeds))
    add(seed);
  if (!beside.empty())
    out << "against what experts would write:\n";
  add(found.start);
  for (const Strategy *plan : beside)
    out << describe(*plan, found.limitBytes);
  for (const Strategy &other : found.others)
    out << (&other == found.others.data() ? "close behind:\n" : "") << describe(other, found.limitBytes);
  if (!further.empty())
    out << llvm::formatv("against what experts would write that is further away, by the search's formula, "
                         "which gives {0:f3} ms for the found one:\n",
                         double(found.cost.timePs) / 1e9);
  for (const Strategy *plan : further)
    out << describe(*plan, found.limitBytes);
}

std::string printFound(const FoundTactics &found) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "found" << describe(found.scheduledPs.value_or(found.cost.timePs), found.cost.peakBytes, found.limitBytes)
      << llvm::formatv(" of {0:f2} GB\n", found.limitBytes / 1e9);
  if (!found.summary.empty())
    out << found.summary << "\n";
  for (const std::string &words : found.words)
    out << "  " << words << "\n";
  if (found.words.empty())
    out << "  nothing: no split makes it better\n";
  printRivals(found, out);
  if (!found.others.empty() && found.isRobust)
    out << "with links at 0.7 of their rate it is still the best of these\n";
  if (!found.isRobust)
    out << llvm::formatv("with links at 0.7 of their rate number {0} of these is better, by {1:f2}% of its time\n",
                         found.rival + 1, 100 * found.rivalGain);
  out << "searched " << found.numEvaluations << " states of " << found.numMoves << " moves on " << found.numSearchedOps
      << " of " << found.numOps << " ops; stopped: " << getName(found.stopReason) << "\n";
  if (found.lowerBoundPs > 0 && found.cost.timePs > 0)
    out << llvm::formatv("{0}no plan is faster than {1:f3} ms: at most {2:f1}% away\n",
                         found.scheduledPs ? "by the search's formula, " : "", double(found.lowerBoundPs) / 1e9,
                         100.0 * double(found.cost.timePs - found.lowerBoundPs) / double(found.cost.timePs));
  return text;
}

void writeFound(llvm::ArrayRef<FoundTactics> found, llvm::ArrayRef<MeshTrial> meshes, const Options &options,
                llvm::json::OStream &json) {
  int64_t numEvaluations = 0;
  bool isComplete = true;
  for (const FoundTactics &each : found) {
    numEvaluations += each.numEvaluations;
    isComplete &= each.isComplete;
  }
  const FoundTactics &last = found.back();
  json.attribute("evaluations", numEvaluations);
  json.attribute("seed", options.validator.seed);
  json.attribute("budget", last.budget);
  json.attribute("stop_reason", getName(last.stopReason));
  json.attribute("complete", isComplete);
  if (last.lowerBoundPs > 0 && last.cost.timePs > 0)
    json.attribute("gap", double(last.cost.timePs - last.lowerBoundPs) / double(last.cost.timePs));
  else
    json.attribute("gap", nullptr);
  json.attribute("moves", int64_t(last.numMoves));
  json.attribute("ops", int64_t(last.numSearchedOps));
  // Who interrupts a search waits for no comparisons.
  if (last.stopReason == StopReason::Interrupted)
    json.attribute("robust", nullptr);
  else
    json.attribute("robust", last.isRobust);
  json.attribute("strategy", last.summary);
  json.attributeArray("meshes", [&] {
    for (const MeshTrial &trial : meshes)
      json.object([&] {
        json.attribute("mesh", trial.mesh.str());
        json.attribute("time_ps", trial.cost.timePs);
        json.attribute("peak_bytes", trial.cost.peakBytes);
      });
  });
  json.attributeArray("experts", [&] {
    for (const Strategy &seed : last.seeds)
      json.object([&] {
        json.attribute("name", seed.name);
        json.attribute("time_ps", seed.scheduledPs ? llvm::json::Value(*seed.scheduledPs) : llvm::json::Value(nullptr));
        json.attribute("formula_ps", seed.timePs);
        json.attribute("peak_bytes", seed.peakBytes);
      });
  });
}

Status checkFound(llvm::ArrayRef<FoundTactics> found, const Options &options) {
  if (found.empty())
    return std::nullopt;
  const FoundTactics &last = found.back();
  if (last.cost.peakBytes > last.limitBytes) {
    std::string text = llvm::formatv("no plan was found that fits: it is short by {0:f2} GB of memory on each device",
                                     double(last.cost.peakBytes - last.limitBytes) / 1e9);
    if (!last.atPeak.empty())
      text += "; the largest values at the peak are " + llvm::join(last.atPeak, ", ");
    Error error = Error::internal(text);
    error.code = ExitCode::DoesNotFit;
    return std::move(error).withRemedy("the plan was written; take more devices, or raise --memory-limit");
  }
  if (options.search.strict && llvm::any_of(found, [](const FoundTactics &each) { return !each.isComplete; })) {
    Error error = Error::internal("the search was cut short");
    error.code = ExitCode::CutShort;
    return std::move(error).withRemedy("the plan was written; give it more time, or leave --strict out");
  }
  return std::nullopt;
}

} // namespace partita
