//===- ScoreCommand.cpp - `partita score` and `partita diff` --------------===//

#include "partita/Driver/ScoreCommand.h"

#include "partita/Driver/LocalScoring.h"
#include "partita/Driver/PlanDifference.h"
#include "partita/Program/Reader.h"
#include "partita/Search/Bound.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/Json.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace partita {

namespace {

/// A plan on its machine. Parts refer to each other.
struct PricedPlan {
  std::unique_ptr<Planning> planning;
  std::unique_ptr<Pricing> pricing;
  Score score;
};

/// The program is read once, whatever number of plans there are.
class Scorer {
public:
  Scorer(const Options &options, llvm::StringRef program)
      : options(options), program(program), clock(options.timing), context(makeContext()) {}

  /// The plan that the options name.
  Result<PricedPlan> score(const Options &planOptions);
  /// A plan to be replayed, or a schedule to be applied.
  Result<PricedPlan> scoreFile(llvm::StringRef path);

private:
  const Options &options;
  llvm::StringRef program;
  StageClock clock;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

/// What no plan takes less than; none within the memory limit, if this one is.
static int64_t computeBound(const Pricing &pricing) {
  BoundOptions bound;
  const Cost &cost = pricing.tracker.getCost();
  bound.isLimited = cost.peakBytes <= pricing.model.getMemoryLimit();
  bound.knownPs = cost.timePs;
  return computeLowerBoundPs(pricing.model, bound);
}

Result<PricedPlan> Scorer::score(const Options &planOptions) {
  if (planOptions.machine.empty())
    return Error::usage("there is no machine to score the plan on").withRemedy("give one with --machine h100-sxm:1x8");
  if (!module) {
    auto read = runImport(planOptions.annotated.empty() ? program : planOptions.annotated, *context, options, clock);
    if (!read)
      return read.error();
    module = std::move(*read);
  }
  auto planning = makePlanning(*module, planOptions, clock);
  if (!planning)
    return planning.error();
  PricedPlan result;
  result.planning = std::move(*planning);
  auto pricing = makePricing(*result.planning, planOptions, clock);
  if (!pricing)
    return pricing.error();
  result.pricing = std::move(*pricing);
  result.score = clock.run("score", [&] {
    return buildScore(*result.planning, result.pricing->transfers, result.pricing->planner, result.pricing.get());
  });
  // A search has found its own bound; of other plans nobody has asked yet.
  if (result.planning->found.empty() && !options.noBound)
    result.score.prices->lowerBoundPs =
        std::max(result.score.prices->lowerBoundPs, clock.run("bound", [&] { return computeBound(*result.pricing); }));
  return result;
}

Result<PricedPlan> Scorer::scoreFile(llvm::StringRef path) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, options.limits);
  if (!buffer)
    return buffer.error();
  Result<JsonValue> json = parseJson((*buffer)->getBuffer(), path);
  if (!json)
    return json.error();
  Options planOptions = options;
  (json->find("partita_plan") ? planOptions.plan : planOptions.schedule) = path.str();
  Result<PricedPlan> result = score(planOptions);
  if (result)
    result->score.name = path.str();
  return result;
}

static std::string print(const Score &score, bool asJson) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!asJson) {
    printScore(score, out);
    return text;
  }
  llvm::json::OStream json(out, /*IndentSize=*/1);
  json.object([&] { writeScore(score, json); });
  json.flush();
  out << "\n";
  return text;
}

static std::string printAll(llvm::ArrayRef<Score> scores, bool asJson) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!asJson) {
    printComparison(scores, out);
    return text;
  }
  llvm::json::OStream json(out, /*IndentSize=*/1);
  json.object([&] {
    json.attributeArray("plans", [&] {
      for (const Score &score : scores)
        json.object([&] {
          json.attribute("plan", score.name);
          writeScore(score, json);
        });
    });
  });
  json.flush();
  out << "\n";
  return text;
}

/// The trace, if one is asked for.
static Status writeTraceFile(const Options &options, const Pricing &pricing) {
  if (options.trace.empty())
    return std::nullopt;
  return writeFilesTogether({{options.trace, printTrace(pricing)}});
}

static Result<std::string> runLocalScore(const Options &options) {
  if (options.machine.empty())
    return Error::usage("there is no machine to score the program on")
        .withRemedy("give one with --machine h100-sxm:1x8");
  StageClock clock(options.timing);
  auto context = makeContext();
  auto local = runImport(options.local, *context, options, clock);
  if (!local)
    return local.error();
  Result<LocalScore> found = scoreLocal(**local, options, clock);
  if (!found)
    return found.error();
  found->score.name = options.local;
  if (Status error = writeTraceFile(options, *found->pricing))
    return std::move(*error);
  return print(found->score, options.json);
}

Result<std::string> runScore(const Options &options, llvm::StringRef program, llvm::ArrayRef<std::string> plans) {
  if (!options.local.empty())
    return runLocalScore(options);
  Scorer scorer(options, program);
  if (plans.empty()) {
    Result<PricedPlan> plan = scorer.score(options);
    if (!plan)
      return plan.error();
    plan->score.name = program.str();
    if (Status error = writeTraceFile(options, *plan->pricing))
      return std::move(*error);
    return print(plan->score, options.json);
  }
  if (!options.trace.empty() && plans.size() > 1)
    return Error::usage("--trace is of one plan").withRemedy("give one plan");
  std::vector<Score> scores;
  for (const std::string &path : plans) {
    Result<PricedPlan> plan = scorer.scoreFile(path);
    if (!plan)
      return plan.error();
    if (Status error = writeTraceFile(options, *plan->pricing))
      return std::move(*error);
    scores.push_back(std::move(plan->score));
  }
  return scores.size() == 1 ? print(scores.front(), options.json) : printAll(scores, options.json);
}

Result<std::string> runDiff(const Options &options, llvm::StringRef program, llvm::StringRef first,
                            llvm::StringRef second) {
  Scorer scorer(options, program);
  Result<PricedPlan> before = scorer.scoreFile(first);
  if (!before)
    return before.error();
  Result<PricedPlan> after = scorer.scoreFile(second);
  if (!after)
    return after.error();
  PlanDifference difference = comparePlans({*before->planning, *before->pricing, before->score},
                                           {*after->planning, *after->pricing, after->score});
  return options.json ? printDifferenceJson(difference) : printDifference(difference);
}

} // namespace partita
