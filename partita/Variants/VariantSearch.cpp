//===- VariantSearch.cpp - decides about memory actions with the plan -----===//

#include "partita/Variants/VariantSearch.h"

#include "partita/Cost/Price.h"
#include "partita/Support/Interrupt.h"
#include "partita/Variants/Microbatches.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

namespace {

/// What is known of a variant's plans.
struct Outcome {
  Cost cost;
  int64_t limitBytes = 0;
  int64_t budget = 0, numEvaluations = 0;
  bool isInterrupted = false;
  /// The best one, then those of the front (PlanFront.h); empty without a search.
  std::vector<CarriedPlan> plans;
  /// Of any plan, whether it fits or not.
  int64_t fastestPs = 0, smallestBytes = 0;

  bool fits() const { return cost.peakBytes <= limitBytes; }
};

/// A variant that was searched for a short time.
struct Trial {
  Variant variant;
  VariantProgram program;
  Outcome outcome;
};

class VariantSearch {
public:
  VariantSearch(const VariantProblem &problem, StageClock &clock) : problem(problem), clock(clock) {}

  Result<SearchedVariant> run(VariantProgram plain);

private:
  using Clock = std::chrono::steady_clock;

  Status checkTactic() const;
  bool isOpen() const;
  std::optional<TemporalTactic> findTactic() const;
  /// The share of the deadline that is left, from 1 down to 0; 1 if there is none.
  double getTimeLeft() const;
  /// The setting of a search that has `states`, and what is left of the deadline.
  SearchSetting limitSearch(int64_t states, llvm::ArrayRef<CarriedPlan> carried) const;
  Result<SearchedSchedule> search(const VariantProgram &program, const SearchSetting &setting,
                                  const SearchWatch &watch = {}) const;
  Result<Outcome> judge(const VariantProgram &program, const SearchedSchedule &searched) const;
  Result<Outcome> judgeByPrice(const VariantProgram &program, const Schedule &schedule) const;
  Result<Trial> probe(const Variant &variant, const SearchSetting &setting, llvm::StringRef sha256) const;
  std::vector<int64_t> proposeCounts(const VariantProgram &plain, const Outcome &first);
  std::optional<Trial> tryCounts(llvm::ArrayRef<int64_t> counts, const Graph &graph, const Outcome &first);
  std::optional<SearchedVariant> improve(const VariantProgram &plain, const Outcome &first);
  std::optional<SearchedVariant> finish(Trial best, int64_t budget);
  void addTrial(const Variant &variant, const Outcome &outcome);
  void addRefusal(const Error &error);

  const VariantProblem &problem;
  StageClock &clock;
  VariantReport report;
  Clock::time_point start = Clock::now();
};

} // namespace

static CountTrial makeCountTrial(const Variant &variant, const Outcome &outcome) {
  return {variant.microbatches, outcome.fits(), outcome.cost.timePs, outcome.fastestPs, outcome.smallestBytes};
}

/// Whether `a` is a better variant to search longer: one that fits before others, then the faster; of those that do
/// not, the one that misses less.
static bool isBetter(const Outcome &a, const Outcome &b) {
  if (a.fits() != b.fits())
    return a.fits();
  return a.fits() ? a.cost.timePs < b.cost.timePs : a.cost.peakBytes < b.cost.peakBytes;
}

/// Arguments are alive during the whole step; split over all devices, they take this.
static int64_t computeLeastBytes(const Graph &graph, const Mesh &mesh) {
  int64_t bytes = 0;
  for (CellId argument : graph.arguments)
    bytes += graph.getBytes(argument) / mesh.getNumDevices();
  return bytes;
}

//===----------------------------------------------------------------------===//
// One variant
//===----------------------------------------------------------------------===//

Result<SearchedSchedule> VariantSearch::search(const VariantProgram &program, const SearchSetting &setting,
                                               const SearchWatch &watch) const {
  const Schedule &schedule = *program.source.schedule;
  if (!hasAutomaticTactics(schedule))
    return SearchedSchedule{schedule, {}};
  return searchSchedule(program.analysis->get(), problem.mesh, schedule, setting, program.existing, watch);
}

Result<Outcome> VariantSearch::judgeByPrice(const VariantProgram &program, const Schedule &schedule) const {
  const SearchSetting &setting = *problem.setting;
  StageClock silent(false);
  Result<PlanPtr> plan = buildPlan(*program.program, problem.mesh, schedule, program.existing, silent);
  if (!plan)
    return plan.error();
  Result<Placement> placement = parsePlacement(setting.placement, problem.mesh, setting.machine);
  if (!placement)
    return placement.error();
  PricePtr price = pricePlan(**plan, {setting.machine, std::move(*placement), setting.cost});
  Outcome outcome;
  outcome.cost = price->getCost();
  outcome.limitBytes = price->model.getMemoryLimit();
  outcome.fastestPs = outcome.cost.timePs;
  outcome.smallestBytes = outcome.cost.peakBytes;
  return outcome;
}

/// The cost of what a search found, or of a schedule that left nothing to search for.
Result<Outcome> VariantSearch::judge(const VariantProgram &program, const SearchedSchedule &searched) const {
  if (searched.found.empty())
    return judgeByPrice(program, searched.schedule);
  const FoundTactics &found = searched.found.back();
  Outcome outcome;
  outcome.cost = found.cost;
  outcome.limitBytes = found.limitBytes;
  outcome.budget = found.budget;
  outcome.numEvaluations = found.numEvaluations;
  outcome.isInterrupted = found.stopReason == StopReason::Interrupted;
  outcome.plans = found.front;
  outcome.fastestPs = found.cost.timePs;
  outcome.smallestBytes = found.cost.peakBytes;
  for (const CarriedPlan &plan : found.front) {
    outcome.fastestPs = std::min(outcome.fastestPs, plan.timePs);
    outcome.smallestBytes = std::min(outcome.smallestBytes, plan.peakBytes);
  }
  return outcome;
}

double VariantSearch::getTimeLeft() const {
  Result<int64_t> deadlineMs = parseDeadline(problem.setting->search.deadline);
  if (!deadlineMs || *deadlineMs == 0)
    return 1;
  std::chrono::duration<double, std::milli> spent = Clock::now() - start;
  return std::max(0.0, 1 - spent.count() / double(*deadlineMs));
}

SearchSetting VariantSearch::limitSearch(int64_t states, llvm::ArrayRef<CarriedPlan> carried) const {
  SearchSetting setting = *problem.setting;
  setting.search.budget = std::max<int64_t>(1, states);
  // Only the search of the program as it is goes on from an earlier one.
  setting.search.resume.clear();
  setting.carried.assign(carried.begin(), carried.end());
  // The bound's relaxed problem costs as much as hundreds of states, and the plans that are carried are good already.
  if (setting.search.stages.empty())
    setting.search.stages = "seeds,alone,greedy,refine,partial,tree,second,final";
  if (Result<int64_t> deadlineMs = parseDeadline(setting.search.deadline); deadlineMs && *deadlineMs > 0)
    setting.search.deadline = std::to_string(1 + int64_t(double(*deadlineMs) * getTimeLeft())) + "ms";
  return setting;
}

Result<Trial> VariantSearch::probe(const Variant &variant, const SearchSetting &setting, llvm::StringRef sha256) const {
  PlanSource source = problem.source;
  source.schedule->temporal = findTactic();
  source.schedule->temporal->count = variant.microbatches;
  Result<VariantProgram> program = prepareVariant(problem.module, std::move(source), problem.flatten);
  if (!program)
    return program.error();
  program->flattened->graph.programSha256 = sha256.str();
  auto bound = bindMesh(*program, problem.mesh, setting.cost.assumedTrips);
  if (!bound)
    return bound.error();
  Result<SearchedSchedule> searched = search(*program, setting);
  if (!searched)
    return searched.error();
  Result<Outcome> outcome = judge(*program, *searched);
  if (!outcome)
    return outcome.error();
  return Trial{variant, std::move(*program), std::move(*outcome)};
}

//===----------------------------------------------------------------------===//
// All variants
//===----------------------------------------------------------------------===//

/// The temporal tactic whose number is open: of the schedule, or one that the search may add.
std::optional<TemporalTactic> VariantSearch::findTactic() const {
  const Schedule &schedule = *problem.source.schedule;
  if (schedule.temporal)
    return schedule.temporal->isAutomatic() ? schedule.temporal : std::nullopt;
  bool isAllowed = problem.allowed.has(MemoryAction::Accumulate) && hasAutomaticTactics(schedule);
  return isAllowed ? std::optional(TemporalTactic{"accumulate", "micro", automaticMicrobatches}) : std::nullopt;
}

/// Whether there is something to decide.
bool VariantSearch::isOpen() const { return problem.module && problem.setting && findTactic(); }

void VariantSearch::addTrial(const Variant &variant, const Outcome &outcome) {
  report.trials.push_back({variant, outcome.cost.timePs, outcome.cost.peakBytes, outcome.numEvaluations});
}

void VariantSearch::addRefusal(const Error &error) {
  llvm::StringRef reason = error.reason;
  reason.consume_front("no microbatches: ");
  std::string place = error.location.file.empty() ? "" : " (" + error.location.str() + ")";
  report.notes.push_back("microbatches: refused, " + reason.str() + place);
}

/// The numbers of microbatches to try; if there are none, a note says why.
std::vector<int64_t> VariantSearch::proposeCounts(const VariantProgram &plain, const Outcome &first) {
  const Graph &graph = plain.flattened->graph;
  if (computeLeastBytes(graph, problem.mesh) > first.limitBytes) {
    report.notes.emplace_back("microbatches: would not help, the arguments alone are larger than the memory");
    return {};
  }
  if (RegionId loop = findOwnAccumulation(plain.analysis->get()); loop.isValid()) {
    report.notes.push_back("microbatches: the program has " + std::to_string(graph.regions[loop].trips) +
                           " of its own, in a loop that adds up gradients");
    return {};
  }
  Result<int64_t> rows = countRows(graph, *findTactic());
  if (!rows) {
    addRefusal(rows.error());
    return {};
  }
  return listCounts(*rows);
}

std::optional<Trial> VariantSearch::tryCounts(llvm::ArrayRef<int64_t> counts, const Graph &graph,
                                              const Outcome &first) {
  constexpr size_t mostTrials = 6, mostCarried = 24;
  constexpr double leastTime = 0.25;
  std::optional<Trial> best;
  std::vector<CarriedPlan> carried = first.plans;
  std::vector<CountTrial> tried{makeCountTrial(Variant(), first)};
  while (tried.size() <= mostTrials && getTimeLeft() > leastTime && !isInterrupted()) {
    int64_t count = chooseNextCount(counts, tried, computeLeastBytes(graph, problem.mesh), first.limitBytes);
    if (count == 0)
      break;
    SearchSetting setting = limitSearch(first.budget / 4, carried);
    setting.search.stages = "seeds,greedy,refine";
    setting.isProbe = true;
    Result<Trial> trial = probe({count}, setting, graph.programSha256);
    if (!trial) {
      addRefusal(trial.error());
      break;
    }
    addTrial(trial->variant, trial->outcome);
    tried.push_back(makeCountTrial(trial->variant, trial->outcome));
    // What was good for a number that does not fit may be good for a larger one, too.
    carried.insert(carried.begin(), trial->outcome.plans.begin(), trial->outcome.plans.end());
    carried.resize(std::min(carried.size(), mostCarried));
    if (!best || isBetter(trial->outcome, best->outcome))
      best = std::move(*trial);
  }
  return best;
}

/// Whether a longer search of a variant may give a better plan than the program as it is has.
static bool isWorthwhile(const Outcome &outcome, const Outcome &first) {
  // A longer search may save a little more memory than a short one.
  constexpr int64_t mostMissing = 25;
  if (!outcome.fits())
    return !first.fits() && (outcome.cost.peakBytes - outcome.limitBytes) < outcome.limitBytes / 100 * mostMissing;
  return !first.fits() || isFasterBy(outcome.cost.timePs, first.cost.timePs, leastGain);
}

/// Searches the best variant; nothing if that was interrupted too early.
std::optional<SearchedVariant> VariantSearch::finish(Trial best, int64_t budget) {
  Result<SearchedSchedule> searched = search(best.program, limitSearch(budget, best.outcome.plans));
  if (!searched)
    return std::nullopt;
  Result<Outcome> outcome = judge(best.program, *searched);
  if (!outcome || !outcome->fits())
    return std::nullopt;
  for (VariantTrial &trial : report.trials)
    if (trial.variant == best.variant) {
      trial.isChosen = true;
      trial.timePs = outcome->cost.timePs;
      trial.peakBytes = outcome->cost.peakBytes;
      trial.numEvaluations += outcome->numEvaluations;
    }
  return SearchedVariant{std::move(best.program), std::move(*searched), {}};
}

/// A variant that is better than the program as it is; nothing if there is none.
std::optional<SearchedVariant> VariantSearch::improve(const VariantProgram &plain, const Outcome &first) {
  bool isPossible = !first.fits() || isFasterBy(first.fastestPs, first.cost.timePs, leastGain);
  if (first.isInterrupted || !isPossible)
    return std::nullopt;
  std::vector<int64_t> counts = proposeCounts(plain, first);
  if (counts.empty())
    return std::nullopt;
  addTrial(Variant(), first);
  std::optional<Trial> best = tryCounts(counts, plain.flattened->graph, first);
  if (!best || !isWorthwhile(best->outcome, first))
    return std::nullopt;
  return finish(std::move(*best), first.budget / 2);
}

/// An `auto` that is forbidden.
Status VariantSearch::checkTactic() const {
  const std::optional<TemporalTactic> &tactic = problem.source.schedule->temporal;
  if (tactic && tactic->isAutomatic() && !problem.allowed.has(MemoryAction::Accumulate))
    return Error::usage("microbatches are asked for and forbidden").withRemedy("leave out one of them");
  return std::nullopt;
}

/// A search goes on (`--resume`) from that of the program as it is, and then searches variants anew.
static void keepAnswers(SearchedSchedule &plain, SearchedSchedule &chosen) {
  for (auto [from, to] : llvm::zip(plain.found, chosen.found))
    to.answers = std::move(from.answers);
}

Result<SearchedVariant> VariantSearch::run(VariantProgram plain) {
  if (Status wrong = checkTactic())
    return std::move(*wrong);
  if (!problem.setting) {
    Schedule schedule = *plain.source.schedule;
    return SearchedVariant{std::move(plain), {std::move(schedule), {}}, {}};
  }
  auto searched = clock.run("search", [&] { return search(plain, *problem.setting, problem.watch); });
  if (!searched)
    return searched.error();
  std::optional<SearchedVariant> better;
  if (isOpen()) {
    Result<Outcome> first = judge(plain, *searched);
    if (!first)
      return first.error();
    better = clock.run("variants", [&] { return improve(plain, *first); });
  }
  if (better) {
    keepAnswers(*searched, better->searched);
  } else {
    if (!report.trials.empty())
      report.trials.front().isChosen = true;
    better = SearchedVariant{std::move(plain), std::move(*searched), {}};
  }
  better->report = std::move(report);
  return std::move(*better);
}

bool isSearched(const Schedule &schedule) {
  return hasAutomaticTactics(schedule) || (schedule.temporal && schedule.temporal->isAutomatic());
}

Result<SearchedVariant> searchVariants(const VariantProblem &problem, VariantProgram plain, StageClock &clock) {
  return VariantSearch(problem, clock).run(std::move(plain));
}

} // namespace partita::variants
