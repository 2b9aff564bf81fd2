//===- ScheduleSearch.cpp - replaces automatic tactics by found ones ------===//

#include "partita/Search/ScheduleSearch.h"

#include "partita/Cost/Price.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/PlacementMatrix.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Interrupt.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::search {

Result<SearchSetting> makeSearchSetting(const MachineOptions &on, const SearchOptions &search) {
  if (on.machine.empty())
    return Error::usage("a search needs a machine to plan for").withRemedy("give one with --machine h100-sxm:1x8");
  Result<Machine> machine = resolveMachine(on.machine);
  if (!machine)
    return machine.error();
  Result<CostOptions> cost = resolveMemoryLimit(on.memoryLimit, on.cost, *machine);
  if (!cost)
    return cost.error();
  return SearchSetting{std::move(*machine), on.placement, *cost, search};
}

Schedule makeAutomaticSchedule() {
  Tactic tactic;
  tactic.name = "auto";
  tactic.automatic.emplace();
  Schedule schedule;
  schedule.tactics.push_back(std::move(tactic));
  return schedule;
}

static Result<std::vector<Goal>> readGoals(const Tactic &tactic, const SearchOptions &options) {
  if (tactic.automatic->goals.empty())
    return parseGoals(options.goals);
  Result<std::vector<Goal>> goals = parseGoals(llvm::join(tactic.automatic->goals, ","));
  if (!goals)
    return Error::badInput(tactic.location, goals.error().reason).withRemedy(goals.error().remedy);
  return goals;
}

static Status checkAxes(const Tactic &tactic, const Axes &axes) {
  for (const std::string &name : tactic.automatic->axes)
    if (!axes.mesh.findAxis(name) && axes.find(name).empty())
      return Error::badInput(tactic.location, "'" + name + "' is not an axis of the mesh")
          .withRemedy(adviseName(name, axes.mesh.listNames(), "its axes"));
  return std::nullopt;
}

namespace {

/// Searches on one mesh.
class ScheduleSearch {
public:
  ScheduleSearch(const Analysis &analysis, const Mesh &mesh, const Schedule &schedule, const SearchSetting &setting,
                 std::optional<llvm::ArrayRef<ExistingCollective>> existing, const SearchWatch &watch)
      : analysis(analysis), axes(refineAxes(mesh, analysis.getGraph(), collectAxes(schedule))), setting(setting),
        existing(existing), watch(watch) {}

  Result<SearchedSchedule> run(Schedule schedule);

private:
  /// Computes the placement and the deadline.
  Status prepare();
  Result<FoundTactics> search(const Tactic &tactic, const Schedule &before);

  const Analysis &analysis;
  Axes axes;
  const SearchSetting &setting;
  std::optional<llvm::ArrayRef<ExistingCollective>> existing;
  const SearchWatch &watch;
  Placement placement;
  StateEvaluatorOptions evaluatorOptions;
};

} // namespace

Status ScheduleSearch::prepare() {
  Result<Placement> parsed = findPlacement(setting.placement, axes.mesh, setting.machine);
  if (!parsed)
    return parsed.error();
  placement = std::move(*parsed);
  if (Status failed = checkStages(setting.search.stages))
    return failed;
  Result<int64_t> deadline = parseDeadline(setting.search.deadline);
  if (!deadline)
    return deadline.error();
  if (*deadline > 0)
    evaluatorOptions.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(*deadline);
  evaluatorOptions.isInterrupted = isInterrupted;
  return std::nullopt;
}

Result<FoundTactics> ScheduleSearch::search(const Tactic &tactic, const Schedule &before) {
  Result<std::vector<Goal>> goals = readGoals(tactic, setting.search);
  if (!goals)
    return goals.error();
  if (Status error = checkAxes(tactic, axes))
    return std::move(*error);
  PlanRequest request{analysis,        axes,
                      setting.machine, placement,
                      setting.cost,    setting.search,
                      before,          tactic.automatic->axes,
                      *goals,          evaluatorOptions,
                      nullptr,         watch.watchesAll,
                      existing,        setting.carried,
                      setting.isProbe};
  if (watch.onState)
    request.onState = [&](const EvaluatedState &state) { watch.onState(state, request.goals); };
  Result<FoundTactics> found = findTactics(request);
  if (watch.onEnd)
    if (Status error = watch.onEnd(found ? &*found : nullptr))
      return std::move(*error);
  return found;
}

Result<SearchedSchedule> ScheduleSearch::run(Schedule schedule) {
  if (Status error = prepare())
    return std::move(*error);
  setActivity("searching");
  catchInterrupts();
  SearchedSchedule result;
  result.schedule.shardings = std::move(schedule.shardings);
  result.schedule.remat = std::move(schedule.remat);
  result.schedule.temporal = std::move(schedule.temporal);
  result.schedule.padding = std::move(schedule.padding);
  result.schedule.reorder = std::move(schedule.reorder);
  result.schedule.mayPad = schedule.mayPad;
  for (Tactic &tactic : schedule.tactics) {
    if (!tactic.automatic) {
      result.schedule.tactics.push_back(std::move(tactic));
      continue;
    }
    Result<FoundTactics> found = search(tactic, result.schedule);
    if (!found)
      return found.error();
    for (Tactic &each : found->tactics) {
      // Names of tactics are unique in the schedule.
      auto isTaken = [&](const Tactic &other) { return other.name == each.name; };
      while (llvm::any_of(result.schedule.tactics, isTaken))
        each.name += "'";
      result.schedule.tactics.push_back(each);
    }
    result.found.push_back(std::move(*found));
  }
  return result;
}

Result<SearchedSchedule> searchSchedule(const Analysis &analysis, const Mesh &mesh, Schedule schedule,
                                        const SearchSetting &setting,
                                        std::optional<llvm::ArrayRef<ExistingCollective>> existing,
                                        const SearchWatch &watch) {
  if (!hasAutomaticTactics(schedule))
    return SearchedSchedule{std::move(schedule), {}};
  return ScheduleSearch(analysis, mesh, schedule, setting, existing, watch).run(std::move(schedule));
}

} // namespace partita::search
