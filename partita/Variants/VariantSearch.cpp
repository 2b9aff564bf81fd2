//===- VariantSearch.cpp - decides about memory actions with the plan -----===//

#include "partita/Variants/VariantSearch.h"

#include "partita/Cost/Price.h"
#include "partita/Support/Interrupt.h"
#include "partita/Variants/Microbatches.h"
#include "partita/Variants/PaddingChoice.h"
#include "partita/Variants/RematChoice.h"

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
  PlanSource makeSource(const Variant &variant) const;
  Result<Trial> search(const Variant &variant, const SearchSetting &setting) const;
  bool probe(const Variant &variant, MemoryAction action);
  std::vector<int64_t> proposeCounts(const VariantProgram &plain);
  void tryCounts(llvm::ArrayRef<int64_t> counts, const Graph &graph);
  bool mayRecompute() const;
  bool isOver() const;
  double countPieces(const Variant &variant) const;
  Variant withClasses(Variant variant, const RematChoice &choice) const;
  void tryRecompute(const Variant &variant, const Outcome &outcome);
  void tryKeep(const Graph &graph);
  bool mayPad() const;
  void tryPadding(const Graph &graph);
  std::optional<SearchedVariant> improve(const VariantProgram &plain, const Outcome &outcome);
  std::optional<SearchedVariant> finish(Trial best);
  void addTrial(const Variant &variant, const Outcome &outcome);
  void addRefusal(MemoryAction action, const Error &error);

  const VariantProblem &problem;
  StageClock &clock;
  VariantReport report;
  Clock::time_point start = Clock::now();
  /// Of the program as it is.
  Outcome first;
  std::string sha256;
  std::vector<RematClass> classes;
  std::vector<PadEntry> padding;
  /// The best variant so far, and what later ones start from.
  std::optional<Trial> best;
  Outcome latest;
  std::vector<CarriedPlan> carried;
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

/// Patterns that match these names and nothing else.
static std::vector<Pattern> makePatterns(llvm::ArrayRef<std::string> names) {
  std::vector<Pattern> patterns;
  for (const std::string &name : names)
    if (Result<Pattern> pattern = Pattern::parse(escapePattern(name), SourceLocation()))
      patterns.push_back(std::move(*pattern));
  return patterns;
}

/// What was given, with the tactics that make the variant.
PlanSource VariantSearch::makeSource(const Variant &variant) const {
  PlanSource source = problem.source;
  if (variant.microbatches > 1) {
    source.schedule->temporal = findTactic();
    source.schedule->temporal->count = variant.microbatches;
  }
  if (!variant.recomputed.empty() || !variant.kept.empty())
    source.schedule->remat = RematTactic{"remat", makePatterns(variant.recomputed), makePatterns(variant.kept)};
  if (variant.isPadded)
    source.schedule->padding = PadTactic{"pad", padding};
  return source;
}

Result<Trial> VariantSearch::search(const Variant &variant, const SearchSetting &setting) const {
  Result<VariantProgram> program = prepareVariant(problem.module, makeSource(variant), problem.flatten);
  if (!program)
    return program.error();
  program->flattened->graph.programSha256 = sha256;
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

bool VariantSearch::mayRecompute() const {
  const Schedule &schedule = *problem.source.schedule;
  return problem.allowed.has(MemoryAction::Recompute) && hasAutomaticTactics(schedule) && !schedule.remat;
}

/// Whether there is something to decide.
bool VariantSearch::isOpen() const {
  return problem.module && problem.setting && (findTactic() || mayRecompute() || mayPad());
}

/// Whether no time is left for another variant.
bool VariantSearch::isOver() const {
  constexpr double leastTime = 0.25;
  constexpr size_t mostTrials = 8;
  return report.trials.size() > mostTrials || getTimeLeft() < leastTime || isInterrupted();
}

void VariantSearch::addTrial(const Variant &variant, const Outcome &outcome) {
  report.trials.push_back({variant, outcome.cost.timePs, outcome.cost.peakBytes, outcome.numEvaluations});
}

void VariantSearch::addRefusal(MemoryAction action, const Error &error) {
  llvm::StringRef reason = error.reason;
  reason.consume_front("no microbatches: ");
  std::string place = error.location.file.empty() ? "" : " (" + error.location.str() + ")";
  constexpr llvm::StringLiteral nouns[] = {"microbatches", "recomputation", "padding"};
  report.notes.push_back(nouns[static_cast<unsigned>(action)].str() + ": refused, " + reason.str() + place);
}

/// Searches the variant for a short time. False if it is refused.
bool VariantSearch::probe(const Variant &variant, MemoryAction action) {
  constexpr size_t mostCarried = 24;
  SearchSetting setting = limitSearch(first.budget / 4, carried);
  setting.search.stages = "seeds,greedy,refine";
  setting.isProbe = true;
  Result<Trial> trial = search(variant, setting);
  if (!trial) {
    addRefusal(action, trial.error());
    return false;
  }
  addTrial(variant, trial->outcome);
  // What was good for a variant that does not fit may be good for the next one, too.
  carried.insert(carried.begin(), trial->outcome.plans.begin(), trial->outcome.plans.end());
  carried.resize(std::min(carried.size(), mostCarried));
  latest = trial->outcome;
  if (!best || isBetter(trial->outcome, best->outcome))
    best = std::move(*trial);
  return true;
}

/// The numbers of microbatches to try; if there are none, a note says why.
std::vector<int64_t> VariantSearch::proposeCounts(const VariantProgram &plain) {
  if (!findTactic())
    return {};
  const Graph &graph = plain.flattened->graph;
  if (RegionId loop = findOwnAccumulation(plain.analysis->get()); loop.isValid()) {
    report.notes.push_back("microbatches: the program has " + std::to_string(graph.regions[loop].trips) +
                           " of its own, in a loop that adds up gradients");
    return {};
  }
  Result<int64_t> rows = countRows(graph, *findTactic());
  if (!rows) {
    addRefusal(MemoryAction::Accumulate, rows.error());
    return {};
  }
  return listCounts(*rows);
}

void VariantSearch::tryCounts(llvm::ArrayRef<int64_t> counts, const Graph &graph) {
  constexpr size_t mostCounts = 6;
  std::vector<CountTrial> tried{makeCountTrial(Variant(), first)};
  while (tried.size() <= mostCounts && !isOver()) {
    int64_t count = chooseNextCount(counts, tried, computeLeastBytes(graph, problem.mesh), first.limitBytes);
    if (count == 0 || !probe({count}, MemoryAction::Accumulate))
      return;
    tried.push_back(makeCountTrial({count}, latest));
  }
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

/// In how many pieces a value of the batch comes if a plan splits it over all devices.
double VariantSearch::countPieces(const Variant &variant) const {
  const std::optional<TemporalTactic> &given = problem.source.schedule->temporal;
  int64_t count = given && !given->isAutomatic() ? given->count : variant.microbatches;
  return double(problem.mesh.getNumDevices()) * double(count);
}

Variant VariantSearch::withClasses(Variant variant, const RematChoice &choice) const {
  for (size_t number : choice.classes)
    (classes[number].kind == RematKind::Keep ? variant.kept : variant.recomputed).push_back(classes[number].name);
  return variant;
}

/// Recomputes what makes a variant fit that does not; all there is if that is not enough.
void VariantSearch::tryRecompute(const Variant &variant, const Outcome &outcome) {
  // Not all of a class is split over all devices, so a little more than what is missing.
  constexpr double reserve = 1.25;
  double missing = double(outcome.smallestBytes - outcome.limitBytes) * reserve * countPieces(variant);
  for (double bytes : {missing, std::numeric_limits<double>::infinity()}) {
    RematChoice choice = chooseRecomputed(classes, bytes);
    Variant changed = withClasses(variant, choice);
    if (choice.classes.empty() || isOver() || (!report.trials.empty() && report.trials.back().variant == changed))
      return;
    if (!probe(changed, MemoryAction::Recompute) || latest.fits())
      return;
  }
}

/// Keeps what memory is left for, if that saves more than 1% of the time.
void VariantSearch::tryKeep(const Graph &graph) {
  Variant base = best && best->outcome.fits() ? best->variant : Variant();
  const Outcome outcome = best && best->outcome.fits() ? best->outcome : first;
  if (!outcome.fits() || !base.recomputed.empty())
    return;
  double free = double(outcome.limitBytes - outcome.cost.peakBytes) * countPieces(base), flops = 0;
  for (const Op &op : graph.ops.raw())
    flops += double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region)));
  // What a plan does not split over all devices takes more than its share: half of it may fit.
  for (double share : {1.0, 0.5}) {
    RematChoice choice = chooseKept(classes, free * share);
    if (choice.classes.empty() || choice.flops * 100 < flops * leastGain || isOver())
      return;
    if (!probe(withClasses(base, choice), MemoryAction::Recompute) || latest.fits())
      return;
  }
}

bool VariantSearch::mayPad() const {
  const Schedule &schedule = *problem.source.schedule;
  return problem.allowed.has(MemoryAction::Pad) && hasAutomaticTactics(schedule) && schedule.mayPad &&
         !schedule.padding;
}

/// Makes dims longer that no axis divides.
void VariantSearch::tryPadding(const Graph &graph) {
  padding = mayPad() ? choosePadding(graph, problem.mesh) : std::vector<PadEntry>();
  if (padding.empty() || isOver())
    return;
  Variant variant;
  variant.isPadded = true;
  probe(variant, MemoryAction::Pad);
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
std::optional<SearchedVariant> VariantSearch::finish(Trial trial) {
  Result<SearchedSchedule> searched = search(trial.program, limitSearch(first.budget / 2, trial.outcome.plans));
  if (!searched)
    return std::nullopt;
  Result<Outcome> outcome = judge(trial.program, *searched);
  if (!outcome || !outcome->fits())
    return std::nullopt;
  for (VariantTrial &row : report.trials)
    if (row.variant == trial.variant) {
      row.isChosen = true;
      row.timePs = outcome->cost.timePs;
      row.peakBytes = outcome->cost.peakBytes;
      row.numEvaluations += outcome->numEvaluations;
    }
  return SearchedVariant{std::move(trial.program), std::move(*searched), {}};
}

/// A variant that is better than the program as it is; nothing if there is none.
std::optional<SearchedVariant> VariantSearch::improve(const VariantProgram &plain, const Outcome &outcome) {
  if (outcome.isInterrupted)
    return std::nullopt;
  const Graph &graph = plain.flattened->graph;
  first = outcome;
  carried = first.plans;
  sha256 = graph.programSha256;
  if (computeLeastBytes(graph, problem.mesh) > first.limitBytes) {
    report.notes.emplace_back("memory actions would not help: the arguments alone are larger than the memory");
    return std::nullopt;
  }
  if (mayRecompute())
    classes = findRematClasses(problem.module, *plain.flattened);
  addTrial(Variant(), first);
  tryPadding(graph);
  if (!first.fits())
    tryRecompute(Variant(), first);
  if (!first.fits() || isFasterBy(first.fastestPs, first.cost.timePs, leastGain))
    tryCounts(proposeCounts(plain), graph);
  if (best && !best->outcome.fits() && best->variant.recomputed.empty())
    tryRecompute(best->variant, Outcome(best->outcome));
  tryKeep(graph);
  if (report.trials.size() == 1)
    report.trials.clear();
  if (!best || !isWorthwhile(best->outcome, first))
    return std::nullopt;
  return finish(std::move(*best));
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
