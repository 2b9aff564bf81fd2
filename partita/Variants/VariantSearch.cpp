//===- VariantSearch.cpp - decides about memory actions with the plan -----===//

#include "partita/Variants/VariantSearch.h"

#include "partita/Support/Interrupt.h"
#include "partita/Variants/Microbatches.h"
#include "partita/Variants/VariantRules.h"

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
  VariantKinds findOpenKinds() const;
  bool isOver() const;
  /// The share of the deadline that is left, from 1 down to 0; 1 if there is none.
  double getTimeLeft() const;

  // One variant.
  /// The setting of a search that has `states`, and what is left of the deadline.
  SearchSetting limitSearch(int64_t states, llvm::ArrayRef<CarriedPlan> carried) const;
  Result<SearchedSchedule> search(const VariantProgram &program, const SearchSetting &setting,
                                  const SearchWatch &watch = {}) const;
  Result<VariantOutcome> judge(const VariantProgram &program, const SearchedSchedule &searched) const;
  PlanSource makeSource(const Variant &variant) const;
  Result<Trial> search(const Variant &variant, const SearchSetting &setting) const;

  // All variants.
  bool prepareKinds(const SearchedProgram &on);
  bool probeNext();
  void probe(const Variant &variant, const VariantRule &rule);
  std::optional<SearchedVariant> improve(const VariantProgram &plain, const SearchedSchedule &searched,
                                         const VariantOutcome &outcome);
  std::optional<SearchedVariant> finish(Trial best);
  void addTrial(const Variant &variant, const VariantOutcome &outcome);
  void addRefusal(const VariantRule &rule, const Error &error);
  const VariantOutcome &getFirst() const { return history.probed.front().outcome; }

  const VariantProblem &problem;
  StageClock &clock;
  VariantReport report;
  Clock::time_point start = Clock::now();
  std::string sha256;
  ProbeHistory history;
  /// Those that may be proposed; what was refused once is not proposed again.
  VariantKinds kinds;
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

/// The cost of what a search found, or of a schedule that left nothing to search for.
Result<VariantOutcome> VariantSearch::judge(const VariantProgram &program, const SearchedSchedule &searched) const {
  VariantOutcome outcome;
  if (searched.found.empty()) {
    PlanPtr plan;
    Result<PricePtr> priced = priceSchedule(problem, program, searched.schedule, plan);
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

/// What was given, with the tactics that make the variant.
PlanSource VariantSearch::makeSource(const Variant &variant) const {
  PlanSource source = problem.source;
  for (const VariantRule &rule : getVariantRules())
    rule.addTactics(variant, history, *source.schedule);
  return source;
}

Result<Trial> VariantSearch::search(const Variant &variant, const SearchSetting &setting) const {
  Result<VariantProgram> program = prepareBound(problem, makeSource(variant));
  if (!program)
    return program.error();
  program->flattened->graph.programSha256 = sha256;
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

/// What the schedule leaves to the search, of what is allowed.
VariantKinds VariantSearch::findOpenKinds() const {
  VariantKinds open;
  if (problem.module && problem.setting)
    for (const VariantRule &rule : getVariantRules())
      if (problem.allowed.has(rule.kind) && rule.isOpen(*problem.source.schedule))
        open.add(rule.kind);
  return open;
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

void VariantSearch::addRefusal(const VariantRule &rule, const Error &error) {
  llvm::StringRef reason = error.reason;
  reason.consume_front("no microbatches: ");
  reason.consume_front("no pipeline: ");
  std::string place = error.location.file.empty() ? "" : " (" + error.location.str() + ")";
  report.notes.push_back(rule.noun.str() + ": refused, " + reason.str() + place);
  kinds.remove(rule.kind);
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

/// Finds out what the kinds need to know. False if none of them can be better than the program as it is.
bool VariantSearch::prepareKinds(const SearchedProgram &on) {
  for (const VariantRule &rule : getVariantRules())
    if (kinds.has(rule.kind) && rule.collect)
      rule.collect(on, history);
  bool isWorthIt = false;
  for (const VariantRule &rule : getVariantRules()) {
    if (getFirst().fits() && !rule.mayGain(history))
      kinds.remove(rule.kind);
    if (!kinds.has(rule.kind))
      continue;
    isWorthIt = true;
    if (Status refused = rule.prepare ? rule.prepare(on, history) : std::nullopt)
      addRefusal(rule, *refused);
  }
  llvm::append_range(report.notes, history.notes);
  return isWorthIt;
}

/// Searches the variant for a short time.
void VariantSearch::probe(const Variant &variant, const VariantRule &rule) {
  constexpr size_t mostCarried = 24;
  // Where nothing fits yet, other plans are needed than those that are known.
  bool isFitting = history.getBest().outcome.fits(), isGlance = rule.isGlance && isFitting;
  SearchSetting setting = limitSearch(getFirst().budget / (isFitting && !rule.isApart ? 8 : 4),
                                      rule.isApart ? llvm::ArrayRef<CarriedPlan>() : llvm::ArrayRef(carried));
  setting.search.stages = isGlance ? "seeds" : "seeds,greedy,refine";
  setting.isProbe = true;
  auto trial = clock.run(isGlance ? "glance" : "probe", [&] { return search(variant, setting); });
  if (!trial)
    return addRefusal(rule, trial.error());
  addTrial(variant, trial->outcome);
  // What was good for a variant that does not fit may be good for the next one, too.
  if (!rule.isApart)
    carried.insert(carried.begin(), trial->outcome.plans.begin(), trial->outcome.plans.end());
  carried.resize(std::min(carried.size(), mostCarried));
  if (!best || isBetter(trial->outcome, best->outcome))
    best = std::move(*trial);
}

/// Probes what the first kind proposes that has a proposal. False if none has.
bool VariantSearch::probeNext() {
  for (const VariantRule &rule : getVariantRules()) {
    std::optional<Variant> next = kinds.has(rule.kind) ? rule.propose(history) : std::nullopt;
    if (next && !history.isProbed(*next)) {
      probe(*next, rule);
      return true;
    }
  }
  return false;
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
    return search(trial.program, limitSearch(getFirst().budget / (getFirst().fits() ? 8 : 2), trial.outcome.plans));
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
  if (!clock.run("kinds", [&] { return prepareKinds({problem, plain, searched}); })) {
    report.trials.clear();
    return std::nullopt;
  }
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
  if (tactic && tactic->isAutomatic() && !problem.allowed.has(VariantKind::Accumulate))
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
  MeshFindings findings = searched->found.empty() ? MeshFindings() : takeFindings(searched->found.back());
  kinds = findOpenKinds();
  if (kinds.isAny()) {
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
  better->plain = std::move(findings);
  better->mesh = problem.mesh;
  better->placement = problem.setting->placement;
  return std::move(*better);
}

bool isSearched(const Schedule &schedule) {
  return hasAutomaticTactics(schedule) || (schedule.temporal && schedule.temporal->isAutomatic());
}

Result<SearchedVariant> searchVariants(const VariantProblem &problem, VariantProgram plain, StageClock &clock) {
  return VariantSearch(problem, clock).run(std::move(plain));
}

} // namespace partita::variants
