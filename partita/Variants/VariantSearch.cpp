//===- VariantSearch.cpp - decides about memory actions with the plan -----===//

#include "partita/Variants/VariantSearch.h"

#include "partita/Cost/Price.h"
#include "partita/Support/Interrupt.h"
#include "partita/Variants/Microbatches.h"
#include "partita/Variants/PaddingChoice.h"
#include "partita/Variants/VariantProbes.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::variants {

namespace {

/// A variant that was searched for a short time.
struct Trial {
  Variant variant;
  VariantProgram program;
  VariantOutcome outcome;
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
  bool mayRecompute() const;
  bool mayPad() const;
  bool mayPipeline() const;
  bool isOver() const;
  /// The share of the deadline that is left, from 1 down to 0; 1 if there is none.
  double getTimeLeft() const;

  // One variant.
  /// The setting of a search that has `states`, and what is left of the deadline.
  SearchSetting limitSearch(int64_t states, llvm::ArrayRef<CarriedPlan> carried) const;
  Result<SearchedSchedule> search(const VariantProgram &program, const SearchSetting &setting,
                                  const SearchWatch &watch = {}) const;
  Result<PricePtr> price(const VariantProgram &program, const Schedule &schedule, PlanPtr &plan) const;
  Result<VariantOutcome> judge(const VariantProgram &program, const SearchedSchedule &searched) const;
  Tactic makePipelineTactic(const PipelineVariant &pipeline) const;
  PlanSource makeSource(const Variant &variant) const;
  Result<Trial> search(const Variant &variant, const SearchSetting &setting) const;

  // All variants.
  std::vector<int64_t> proposeCounts(const VariantProgram &plain);
  void addPipelines(const VariantProgram &plain, const SearchedSchedule &searched);
  void addClasses(const VariantProgram &plain, const SearchedSchedule &searched);
  void priceClasses(const VariantProgram &traced, const SearchedSchedule &searched);
  bool probeNext();
  bool probe(const Variant &variant, const ProbeKind &kind);
  std::optional<SearchedVariant> improve(const VariantProgram &plain, const SearchedSchedule &searched,
                                         const VariantOutcome &outcome);
  std::optional<SearchedVariant> finish(Trial best);
  void addTrial(const Variant &variant, const VariantOutcome &outcome);
  void addRefusal(MemoryAction action, const Error &error);
  const VariantOutcome &getFirst() const { return history.probed.front().outcome; }

  const VariantProblem &problem;
  StageClock &clock;
  VariantReport report;
  Clock::time_point start = Clock::now();
  std::string sha256;
  ProbeHistory history;
  /// What was refused once is not proposed again.
  AllowedActions refused;
  /// The best variant but the program as it is, and what later ones start from.
  std::optional<Trial> best;
  std::vector<CarriedPlan> carried;
};

} // namespace

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

/// The price of a schedule without automatic tactics. `plan` must outlive it.
Result<PricePtr> VariantSearch::price(const VariantProgram &program, const Schedule &schedule, PlanPtr &plan) const {
  const SearchSetting &setting = *problem.setting;
  StageClock silent(false);
  Result<PlanPtr> built = buildPlan(*program.program, problem.mesh, schedule, program.existing, silent);
  if (!built)
    return built.error();
  Result<Placement> placement = parsePlacement(setting.placement, problem.mesh, setting.machine);
  if (!placement)
    return placement.error();
  plan = std::move(*built);
  return pricePlan(*plan, {setting.machine, std::move(*placement), setting.cost});
}

/// The cost of what a search found, or of a schedule that left nothing to search for.
Result<VariantOutcome> VariantSearch::judge(const VariantProgram &program, const SearchedSchedule &searched) const {
  VariantOutcome outcome;
  if (searched.found.empty()) {
    PlanPtr plan;
    Result<PricePtr> priced = price(program, searched.schedule, plan);
    if (!priced)
      return priced.error();
    outcome.cost = (*priced)->getCost();
    outcome.limitBytes = (*priced)->model.getMemoryLimit();
    outcome.plans = {{outcome.cost.timePs, outcome.cost.peakBytes, {}, {}}};
  } else {
    const FoundTactics &found = searched.found.back();
    outcome.cost = found.cost;
    outcome.limitBytes = found.limitBytes;
    outcome.budget = found.budget;
    outcome.numEvaluations = found.numEvaluations;
    outcome.isInterrupted = found.stopReason == StopReason::Interrupted;
    outcome.plans = found.front;
  }
  outcome.fastestPs = outcome.cost.timePs;
  outcome.smallestBytes = outcome.cost.peakBytes;
  for (const CarriedPlan &plan : outcome.plans) {
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

SearchSetting VariantSearch::limitSearch(int64_t states, llvm::ArrayRef<CarriedPlan> given) const {
  SearchSetting setting = *problem.setting;
  setting.search.budget = std::max<int64_t>(1, states);
  // Only the search of the program as it is goes on from an earlier one.
  setting.search.resume.clear();
  setting.carried.assign(given.begin(), given.end());
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

/// A pipeline of all layers.
Tactic VariantSearch::makePipelineTactic(const PipelineVariant &pipeline) const {
  Tactic tactic;
  tactic.name = "pipeline";
  tactic.axis = pipeline.axis;
  tactic.pipeline = PipelineTactic{{}, pipeline.microbatches};
  for (const MeshAxis &axis : problem.mesh.axes)
    if (axis.name == pipeline.axis)
      tactic.pipeline->stages = axis.size;
  return tactic;
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
    source.schedule->padding = PadTactic{"pad", history.padding};
  if (variant.pipeline)
    source.schedule->tactics.insert(source.schedule->tactics.begin(), makePipelineTactic(*variant.pipeline));
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
  Result<VariantOutcome> outcome = judge(*program, *searched);
  if (!outcome)
    return outcome.error();
  return Trial{variant, std::move(*program), std::move(*outcome)};
}

//===----------------------------------------------------------------------===//
// What may be done
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

bool VariantSearch::mayPad() const {
  const Schedule &schedule = *problem.source.schedule;
  return problem.allowed.has(MemoryAction::Pad) && hasAutomaticTactics(schedule) && schedule.mayPad &&
         !schedule.padding;
}

bool VariantSearch::mayPipeline() const {
  const Schedule &schedule = *problem.source.schedule;
  return problem.allowed.has(MemoryAction::Pipeline) && hasAutomaticTactics(schedule) && !schedule.temporal &&
         !schedule.padding && !pipeline::findPipelineTactic(problem.source);
}

/// Whether there is something to decide.
bool VariantSearch::isOpen() const {
  return problem.module && problem.setting && (findTactic() || mayRecompute() || mayPad() || mayPipeline());
}

/// Whether no time is left for another variant.
bool VariantSearch::isOver() const {
  constexpr double leastTime = 0.25;
  constexpr size_t mostTrials = 8;
  return history.probed.size() > mostTrials || getTimeLeft() < leastTime || isInterrupted();
}

void VariantSearch::addTrial(const Variant &variant, const VariantOutcome &outcome) {
  history.probed.push_back({variant, outcome});
  report.trials.push_back({variant, outcome.cost.timePs, outcome.cost.peakBytes, outcome.numEvaluations});
}

void VariantSearch::addRefusal(MemoryAction action, const Error &error) {
  llvm::StringRef reason = error.reason;
  reason.consume_front("no microbatches: ");
  reason.consume_front("no pipeline: ");
  std::string place = error.location.file.empty() ? "" : " (" + error.location.str() + ")";
  constexpr llvm::StringLiteral nouns[] = {"microbatches", "recomputation", "padding", "pipeline"};
  report.notes.push_back(nouns[static_cast<unsigned>(action)].str() + ": refused, " + reason.str() + place);
  refused.add(action);
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

/// The time of a plan's compute if each axis split all of it: what an axis does not split, its devices do several
/// times.
static int64_t computeSplitPs(const Price &price) {
  double share = 1;
  for (AxisId axis : idRange<AxisId>(price.plan.axes.size())) {
    auto size = double(price.plan.axes[axis].size);
    double split = double(price.report.splitFlopsPpm[axis]) / double(wholePpm);
    share /= size * (split / size + 1 - split);
  }
  return int64_t(double(price.getCost().computePs) * share);
}

/// Finds the pipelines to try; none if the idle time of each is longer than what a step could save.
void VariantSearch::addPipelines(const VariantProgram &plain, const SearchedSchedule &searched) {
  const Graph &graph = plain.flattened->graph;
  Result<int64_t> rows = countRows(graph, TemporalTactic{"pipeline", "micro", automaticMicrobatches});
  if (!mayPipeline() || !rows)
    return;
  std::vector<PipelineAxis> axes = listPipelines(graph, problem.mesh, *rows);
  PlanPtr plan;
  Result<PricePtr> priced = axes.empty() ? Error::internal("no pipeline") : price(plain, searched.schedule, plan);
  if (!priced)
    return;
  history.splitComputePs = computeSplitPs(**priced);
  if (!getFirst().fits() || chooseNextPipeline(axes, {}, history.splitComputePs, getFirst().cost.timePs))
    history.pipelines = std::move(axes);
}

//===----------------------------------------------------------------------===//
// Classes of values
//===----------------------------------------------------------------------===//

/// The schedule that was searched for, with other tactics in the place of those that the last search found.
static Schedule replaceFound(const Schedule &given, const SearchedSchedule &searched, std::vector<Tactic> tactics) {
  Schedule schedule = given;
  schedule.tactics.clear();
  size_t number = 0;
  for (const Tactic &tactic : given.tactics) {
    if (!tactic.automatic)
      schedule.tactics.push_back(tactic);
    else if (++number < searched.found.size())
      llvm::append_range(schedule.tactics, searched.found[number - 1].tactics);
    else
      llvm::append_range(schedule.tactics, tactics);
  }
  for (auto [position, tactic] : llvm::enumerate(schedule.tactics))
    tactic.name += "#" + std::to_string(position);
  return schedule;
}

/// Prices the classes under the best plan of the program as it is, and under the fastest one. One plan takes as long as
/// a hundred states.
void VariantSearch::priceClasses(const VariantProgram &traced, const SearchedSchedule &searched) {
  constexpr size_t most = 2;
  for (const CarriedPlan &plan : llvm::ArrayRef(getFirst().plans).take_front(most)) {
    PlanPtr built;
    Result<PricePtr> priced = price(traced, replaceFound(*traced.source.schedule, searched, plan.tactics), built);
    if (priced)
      history.priced.push_back({plan.moves, variants::priceClasses(**priced, history.classes)});
  }
}

/// Finds the classes in the program without microbatches, which are cut behind recomputation.
void VariantSearch::addClasses(const VariantProgram &plain, const SearchedSchedule &searched) {
  if (!mayRecompute())
    return;
  if (!plain.rewritten) {
    history.classes = findRematClasses(problem.module, *plain.flattened);
    if (!history.classes.empty())
      priceClasses(plain, searched);
    return;
  }
  PlanSource source = problem.source;
  source.schedule->temporal.reset();
  Result<VariantProgram> traced = prepareVariant(problem.module, std::move(source), problem.flatten);
  if (!traced || !bindMesh(*traced, problem.mesh, problem.setting->cost.assumedTrips))
    return;
  history.givenMicrobatches = plain.rewrites.accumulated ? plain.rewrites.accumulated->count : 1;
  history.classes = findRematClasses(problem.module, *traced->flattened);
  if (!history.classes.empty())
    priceClasses(*traced, searched);
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

/// Searches the variant for a short time. False if it is refused.
bool VariantSearch::probe(const Variant &variant, const ProbeKind &kind) {
  constexpr size_t mostCarried = 24;
  // Where nothing fits yet, other plans are needed than those that are known.
  bool isFitting = history.getBest().outcome.fits(), isGlance = kind.isGlance && isFitting;
  SearchSetting setting = limitSearch(getFirst().budget / (isFitting && !kind.isApart ? 8 : 4),
                                      kind.isApart ? llvm::ArrayRef<CarriedPlan>() : llvm::ArrayRef(carried));
  setting.search.stages = isGlance ? "seeds" : "seeds,greedy,refine";
  setting.isProbe = true;
  auto trial = clock.run(isGlance ? "glance" : "probe", [&] { return search(variant, setting); });
  if (!trial) {
    addRefusal(kind.action, trial.error());
    return false;
  }
  addTrial(variant, trial->outcome);
  // What was good for a variant that does not fit may be good for the next one, too.
  if (!kind.isApart)
    carried.insert(carried.begin(), trial->outcome.plans.begin(), trial->outcome.plans.end());
  carried.resize(std::min(carried.size(), mostCarried));
  if (!best || isBetter(trial->outcome, best->outcome))
    best = std::move(*trial);
  return true;
}

/// Probes what the first kind proposes that has a proposal. False if none has.
bool VariantSearch::probeNext() {
  for (const ProbeKind &kind : getProbeKinds()) {
    std::optional<Variant> next = refused.has(kind.action) ? std::nullopt : kind.propose(history);
    if (next && !history.isProbed(*next)) {
      probe(*next, kind);
      return true;
    }
  }
  return false;
}

/// Whether the program recomputes something that it could keep.
static bool hasKeep(llvm::ArrayRef<RematClass> classes) {
  return llvm::any_of(classes, [](const RematClass &known) { return known.kind == RematKind::Keep; });
}

/// Whether a longer search of a variant may give a better plan than the program as it is has.
static bool isWorthwhile(const VariantOutcome &outcome, const VariantOutcome &first) {
  // A longer search may save a little more memory than a short one.
  constexpr int64_t mostMissing = 25;
  if (!outcome.fits())
    return !first.fits() && (outcome.cost.peakBytes - outcome.limitBytes) < outcome.limitBytes / 100 * mostMissing;
  return !first.fits() || isFasterBy(outcome.cost.timePs, first.cost.timePs, leastGain);
}

/// Searches the best variant; nothing if that was interrupted too early.
std::optional<SearchedVariant> VariantSearch::finish(Trial trial) {
  auto searched = clock.run("finish", [&] {
    return search(trial.program, limitSearch(getFirst().budget / (getFirst().fits() ? 4 : 2), trial.outcome.plans));
  });
  if (!searched)
    return std::nullopt;
  Result<VariantOutcome> outcome = judge(trial.program, *searched);
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
std::optional<SearchedVariant> VariantSearch::improve(const VariantProgram &plain, const SearchedSchedule &searched,
                                                      const VariantOutcome &outcome) {
  if (outcome.isInterrupted)
    return std::nullopt;
  const Graph &graph = plain.flattened->graph;
  history.fixedBytes = computeLeastBytes(graph, problem.mesh);
  if (history.fixedBytes > outcome.limitBytes) {
    report.notes.emplace_back("memory actions would not help: the arguments alone are larger than the memory");
    return std::nullopt;
  }
  carried = outcome.plans;
  sha256 = graph.programSha256;
  addTrial(Variant(), outcome);
  clock.run("classes", [&] {
    addClasses(plain, searched);
    return true;
  });
  if (mayPad())
    history.padding = choosePadding(graph, problem.mesh);
  addPipelines(plain, searched);
  bool maySave = hasKeep(history.classes) || isFasterBy(outcome.fastestPs, outcome.cost.timePs, leastGain);
  if (outcome.fits() && !maySave && history.padding.empty() && history.pipelines.empty()) {
    report.trials.clear();
    return std::nullopt;
  }
  history.counts = proposeCounts(plain);
  while (!isOver() && probeNext()) {
  }
  if (report.trials.size() == 1)
    report.trials.clear();
  if (!best || !isWorthwhile(best->outcome, getFirst()))
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
    Result<VariantOutcome> first = judge(plain, *searched);
    if (!first)
      return first.error();
    better = clock.run("variants", [&] { return improve(plain, *searched, *first); });
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
