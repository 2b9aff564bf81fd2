//===- PlanCommands.cpp - commands that make, price and explain plans -----===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Driver/Commands.h"
#include "partita/Driver/Lowering.h"
#include "partita/Driver/Stages.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Lower/DeviceProgram.h"
#include "partita/Lower/LoopForm.h"
#include "partita/Program/Reader.h"
#include "partita/Report/AssignmentJson.h"
#include "partita/Report/Explanation.h"
#include "partita/Report/HtmlPage.h"
#include "partita/Report/PlanDifference.h"
#include "partita/Report/PlanFiles.h"
#include "partita/Report/RewriteText.h"
#include "partita/Report/TacticText.h"
#include "partita/Report/Warnings.h"
#include "partita/Schedule/Constraints.h"
#include "partita/Simulate/PlanTimeline.h"
#include "partita/Verify/StaticCheck.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::driver {

//===----------------------------------------------------------------------===//
// partita plan
//===----------------------------------------------------------------------===//

static Status printRewritten(const PlanCommand &options, ModuleOp module, StageClock &clock) {
  Result<VariantProgram> program = prepareModule(module, options.planning, clock);
  if (!program)
    return program.error();
  ModuleOp planned = program->rewritten ? *program->rewritten : module;
  return emit(options.planning.common.output, printProgram(planned, options.locations));
}

static Status printFlattened(const PlanCommand &options, ModuleOp module, StageClock &clock) {
  auto flattened = clock.run("flatten", [&] { return flatten(module, options.planning.flatten); });
  if (!flattened)
    return flattened.error();
  reportUnknown(flattened->unknown);
  const Graph &graph = flattened->graph;
  if (options.planning.common.timing)
    llvm::errs() << "{\"stage\": \"graph\", \"ops\": " << graph.ops.size() << ", \"bytes\": " << graph.getMemoryBytes()
                 << "}\n";
  return emit(options.planning.common.output, printGraph(graph));
}

static Status printLoops(const PlanCommand &options, ModuleOp module, const MadePlan &made, StageClock &clock) {
  auto loops =
      clock.run("loops", [&] { return buildLoopForm(module, *made.variant.flattened, made.plan->assignment); });
  if (!loops)
    return loops.error();
  return emit(options.planning.common.output, printProgram(**loops, options.locations));
}

/// Lowers the plan, checks the local program, prints a summary and writes all files of the plan.
static Status lowerAndWrite(const PlanCommand &options, ModuleOp module, MadePlan made, StageClock &clock) {
  const PlanningOptions &planning = options.planning;
  Result<LocalProgram> local = lowerMade(made, module, clock);
  if (!local)
    return local.error();
  Result<bool> isChecked = false;
  if (!options.noCheck) {
    setActivity("checking the local program");
    isChecked = clock.run("check", [&] { return checkLowered(module, *local->module, planning.flatten.rules); });
    if (!isChecked)
      return isChecked.error();
  }
  reportDropped(made.plan->getGraph(), local->droppedDonors);
  if (options.stopAfter == "lower") {
    Status status = emit(planning.common.output, printProgram(*local->module, options.locations));
    llvm::BuryPointer(local->module.release());
    return status;
  }
  Result<ScoredPlan> scored = scorePlan(std::move(made), planning.machine, {}, clock);
  if (!scored)
    return scored.error();
  reportAssumedTrips(scored->score);
  const Plan &plan = *scored->made.plan;
  const SearchReport &search = scored->made.search;
  Overview overview = clock.run("overview", [&] {
    return buildOverview(plan, scored->score, search, scored->made.variant.analysis->get(),
                         scored->made.variant.rewrites, scored->price.get());
  });
  llvm::outs() << (options.json ? printTactics(plan, true)
                                : printPlanText(plan, overview, scored->score, search, options.details));
  if (const std::string &folder = planning.common.output; !folder.empty() && folder != "-") {
    setActivity("writing the plan");
    Report report{
        plan, scored->score, search, overview, local->droppedDonors, *isChecked, scored->made.variant.rewrites};
    PlanFiles files{report, scored->getPictureSource(),      *local->module,
                    module, *scored->made.variant.flattened, options.locations};
    if (Status error = writeFilesTogether(buildFiles(files, folder, clock)))
      return error;
  }
  if (Status error = checkFound(search.found, scored->score, planning.automatic.search.strict))
    return error;
  return checkPriced(scored->score);
}

/// Lowers and writes the plan or, if a search found nothing better, that of `--baseline`. The other one is a row of the
/// comparison.
static Status writeBetter(const PlanCommand &options, ModuleOp module, MadePlan made, StageClock &clock) {
  PlanningOptions planning = options.planning;
  if (Status error = planning.machine.require("compare the baseline on"))
    return error;
  PlanSetting setting;
  setting.isHashed = true;
  Result<PlanSource> source = readPlanOrScheduleFile(options.baseline, planning.common.limits);
  if (!source)
    return source.error();
  setting.source = std::move(*source);
  planning.plan.mesh = made.plan->getMesh().str();
  if (planning.machine.placement.empty())
    planning.machine.placement = made.planPlacement;
  planning.plan.schedule.clear();
  planning.plan.plan.clear();
  Result<MadePlan> own = makePlan(module, planning, setting, clock);
  if (!own)
    return own.error();
  Result<PricePtr> price = makePrice(made, planning.machine, clock);
  Result<PricePtr> ownPrice = makePrice(*own, planning.machine, clock);
  if (!price || !ownPrice)
    return price ? ownPrice.error() : price.error();
  bool isOwn = compareWithBaseline(made.search, **price, own->search, **ownPrice);
  MadePlan &better = isOwn ? *own : made;
  ModuleOp planned = better.variant.rewritten ? *better.variant.rewritten : module;
  return lowerAndWrite(options, planned, std::move(better), clock);
}

static Status planModule(const PlanCommand &options, ModuleOp module, StageClock &clock) {
  const PlanningOptions &planning = options.planning;
  if (options.stopAfter == "accumulate")
    return printRewritten(options, module, clock);
  if (options.stopAfter == "flatten")
    return printFlattened(options, module, clock);
  // Counting collectives after each tactic takes as long as planning all reshards, so only reports do it.
  bool isReported = options.stopAfter.empty() || options.stopAfter == "tactics";
  if (!options.baseline.empty() && planning.plan.mesh.empty() && planning.automatic.devices > 1)
    return Error::usage("--baseline needs a mesh")
        .withRemedy("give the one that it is for with --mesh; a search for a number of devices names axes itself");
  PlanSetting setting;
  setting.isHashed = options.stopAfter == "plan" || (options.stopAfter.empty() && !planning.common.output.empty());
  setting.afterTactic = isReported ? AfterTactic(addCollectives) : AfterTactic(nullptr);
  Result<MadePlan> made = makePlan(module, planning, setting, clock);
  if (!made)
    return made.error();
  reportUnknown(made->variant.flattened->unknown);
  warnOfRewrites(made->variant.rewrites, *made->plan);
  reportUncalled(module, planning.flatten.rules);
  const Plan &plan = *made->plan;
  if (options.stopAfter == "tactics")
    return emit(planning.common.output, printTactics(plan, options.json));
  if (options.stopAfter == "propagate")
    return emit(planning.common.output, printAssignment(plan));
  if (options.stopAfter == "plan")
    return emit(planning.common.output, printPlan(plan, nullptr, Score(), made->variant.rewrites));
  if (!options.baseline.empty() && options.stopAfter.empty())
    return writeBetter(options, module, std::move(*made), clock);
  ModuleOp planned = made->variant.rewritten ? *made->variant.rewritten : module;
  if (options.stopAfter == "loops")
    return printLoops(options, planned, *made, clock);
  return lowerAndWrite(options, planned, std::move(*made), clock);
}

Status runPlan(const PlanCommand &options, Operands files) {
  const PlanningOptions &planning = options.planning;
  if (options.stopAfter == "import")
    return runImport({planning.common, planning.program, options.locations}, files);
  if (options.stopAfter == "analyze")
    return runAnalyze({planning.common, planning.program, planning.flatten, options.json}, files);
  StageClock clock(planning.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, planning.common, planning.program, clock);
  if (!module)
    return module.error();
  Status status = planModule(options, **module, clock);
  // The process ends with the command. Destroying a large module op by op would take a tenth of the time of all stages.
  llvm::BuryPointer(module->release());
  llvm::BuryPointer(std::move(context));
  return status;
}

Status runPropagate(const PlanningOptions &options, Operands files) {
  StageClock clock(options.common.timing);
  Result<Graph> graph = readGraphFile(files.front(), options.common, clock);
  if (!graph)
    return graph.error();
  setActivity("propagating on the graph " + files.front());
  Result<MadePlan> made = makePlan(std::move(*graph), options, clock);
  if (!made)
    return made.error();
  return emit(options.common.output, printAssignment(*made->plan));
}

//===----------------------------------------------------------------------===//
// partita score, partita diff
//===----------------------------------------------------------------------===//

namespace {

/// Scores plans of one program, which is read once.
class Scorer {
public:
  Scorer(const PlanningOptions &options, llvm::StringRef program, bool withBound)
      : options(options), program(program), withBound(withBound), clock(options.common.timing), context(makeContext()) {
  }

  /// Scores the plan that the options name or, if the setting says so, the program's own shardings.
  Result<ScoredPlan> score(const PlanOptions &plan, const PlanSetting &setting);
  /// Scores a plan file or a schedule file.
  Result<ScoredPlan> scoreFile(llvm::StringRef path);
  /// Scores the local program of `--local`.
  Result<ScoredPlan> scoreLocal();

private:
  Status import();
  Result<ScoredPlan> scoreModule(ModuleOp planned, const PlanningOptions &planning, const PlanSetting &setting,
                                 ProgramScope scope = ProgramScope::AllDevices);

  PlanningOptions options;
  llvm::StringRef program;
  bool withBound;
  StageClock clock;
  std::unique_ptr<MLIRContext> context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

Status Scorer::import() {
  if (module)
    return std::nullopt;
  auto read = importFile(program, *context, options.common, options.program, clock);
  if (!read)
    return read.error();
  module = std::move(*read);
  return std::nullopt;
}

Result<ScoredPlan> Scorer::scoreModule(ModuleOp planned, const PlanningOptions &planning, const PlanSetting &setting,
                                       ProgramScope scope) {
  Result<MadePlan> made = makePlan(planned, planning, setting, clock);
  if (!made)
    return made.error();
  // A score outlives the context of the scorer, and no score needs the program.
  made->variant.rewritten = {};
  return scorePlan(std::move(*made), planning.machine, {withBound, scope}, clock);
}

Result<ScoredPlan> Scorer::score(const PlanOptions &plan, const PlanSetting &setting) {
  if (Status error = options.machine.require("score the plan on"))
    return std::move(*error);
  if (Status error = import())
    return std::move(*error);
  PlanningOptions planning = options;
  planning.plan = plan;
  return scoreModule(*module, planning, setting);
}

Result<ScoredPlan> Scorer::scoreFile(llvm::StringRef path) {
  PlanSetting setting;
  Result<PlanSource> source = readPlanOrScheduleFile(path, options.common.limits);
  if (!source)
    return source.error();
  PlanOptions plan = options.plan;
  (source->plan ? plan.plan : plan.schedule) = path.str();
  setting.source = std::move(*source);
  Result<ScoredPlan> result = score(plan, setting);
  if (result)
    result->score.name = path.str();
  return result;
}

Result<ScoredPlan> Scorer::scoreLocal() {
  if (Status error = options.machine.require("score the program on"))
    return std::move(*error);
  if (Status error = import())
    return std::move(*error);
  Result<DeviceProgram> body = takeDeviceProgram(*module, options.plan.mesh);
  if (!body)
    return body.error();
  PlanningOptions planning = options;
  planning.plan = PlanOptions();
  planning.plan.mesh = body->mesh;
  PlanSetting setting;
  setting.usesProgramShardings = true;
  Result<ScoredPlan> result = scoreModule(*body->module, planning, setting, ProgramScope::OneDevice);
  if (result)
    result->score.name = program.str();
  return result;
}

/// Scores the plan that the options name: the program's own shardings, a local program, `--plan` or `--schedule`.
static Result<ScoredPlan> scoreNamed(const ScoreCommand &options, llvm::StringRef program) {
  if (!options.local.empty())
    return Scorer(options.planning, options.local, /*withBound=*/false).scoreLocal();
  PlanSetting setting;
  setting.usesProgramShardings = !options.annotated.empty();
  Scorer scorer(options.planning, setting.usesProgramShardings ? llvm::StringRef(options.annotated) : program,
                !options.noBound);
  Result<ScoredPlan> result = scorer.score(options.planning.plan, setting);
  if (result)
    result->score.name = program.str();
  return result;
}

Status runScore(const ScoreCommand &options, Operands files) {
  Operands plans = files.drop_front();
  if (!options.trace.empty() && plans.size() > 1)
    return Error::usage("--trace is of one plan").withRemedy("give one plan");
  std::vector<Score> scores;
  std::vector<PlanPicture> pictures;
  std::vector<FileToWrite> written;
  auto add = [&](Result<ScoredPlan> scored) -> Status {
    if (!scored)
      return scored.error();
    if (!options.trace.empty())
      written.push_back({options.trace, printTrace(*scored->price, scored->timeline)});
    if (!options.html.empty())
      pictures.push_back(scored->draw());
    reportAssumedTrips(scored->score);
    scores.push_back(std::move(scored->score));
    return std::nullopt;
  };
  if (plans.empty() || !options.local.empty()) {
    if (Status error = add(scoreNamed(options, files.front())))
      return error;
  } else {
    Scorer scorer(options.planning, files.front(), !options.noBound);
    for (const std::string &path : plans)
      if (Status error = add(scorer.scoreFile(path)))
        return error;
  }
  if (!options.html.empty())
    written.push_back({options.html, printPage(pictures)});
  if (Status error = writeFilesTogether(written))
    return error;
  if (Status error = emit(options.planning.common.output, options.json ? printScoresJson(scores) : printScores(scores)))
    return error;
  for (const Score &score : scores)
    if (Status error = checkPriced(score))
      return error;
  return std::nullopt;
}

Status runDiff(const DiffCommand &options, Operands files) {
  Scorer scorer(options.planning, files[0], /*withBound=*/true);
  Result<ScoredPlan> before = scorer.scoreFile(files[1]);
  if (!before)
    return before.error();
  Result<ScoredPlan> after = scorer.scoreFile(files[2]);
  if (!after)
    return after.error();
  std::string changes = compareRewrites(before->made.variant.rewrites, after->made.variant.rewrites);
  if (!changes.empty() || before->made.plan->getGraph().cells.size() != after->made.plan->getGraph().cells.size())
    return Error::unsupported({files[2], 0, 0}, "the plans change the program in different ways" +
                                                    (changes.empty() ? "" : ": " + changes))
        .withRemedy("their values cannot be compared one by one; `partita score PROGRAM PLAN PLAN --html FILE` shows "
                    "both plans beside each other");
  PlanDifference difference = comparePlans({*before->made.plan, *before->price, before->score},
                                           {*after->made.plan, *after->price, after->score});
  if (!options.html.empty())
    if (Status error = writeFilesTogether({{options.html, printPage({before->draw(), after->draw()}, &difference)}}))
      return error;
  return emit(options.planning.common.output,
              options.json ? printDifferenceJson(difference) : printDifference(difference));
}

//===----------------------------------------------------------------------===//
// partita explain
//===----------------------------------------------------------------------===//

/// Constraints name values of the program that was given; a plan that changes it has other ones.
static Status refuseRewritten(const Rewrites &rewrites) {
  std::string changes = summarizeRewrites(rewrites);
  bool isPadded = rewrites.padding && !rewrites.padding->dims.empty();
  if (changes.empty() && !isPadded)
    return std::nullopt;
  return Error::unsupported({}, "the plan changes the program (" + (changes.empty() ? "padding" : changes) +
                                    "), so constraints on values of your program cannot give the same plan")
      .withRemedy("keep the plan itself (plan.json), or forbid the changes: --forbid "
                  "accumulate,recompute,pad,reorder,pipeline");
}

Status runExplain(const ExplainCommand &options, Operands files) {
  const PlanningOptions &planning = options.planning;
  StageClock clock(planning.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, planning.common, planning.program, clock);
  if (!module)
    return module.error();
  Result<MadePlan> made = makePlan(**module, planning, {}, clock);
  if (!made)
    return made.error();
  if (options.constraints) {
    if (Status error = refuseRewritten(made->variant.rewrites))
      return error;
    std::vector<PartitionRule> rules =
        clock.run("constraints", [&] { return findConstraints(made->plan->assignment, made->plan->program.names); });
    return emit(planning.common.output, printConstraints(rules));
  }
  Result<std::vector<std::string>> wanted = readNames(options.value, options.values, planning.common.limits);
  if (!wanted)
    return wanted.error();
  Result<std::vector<CellId>> cells = findValues(made->plan->program.names, *wanted);
  if (!cells)
    return cells.error();
  Result<PricePtr> price = makePrice(*made, planning.machine, clock);
  if (!price)
    return price.error();
  std::vector<ValueExplanation> values = explainValues(*made->plan, price->get(), *cells);
  return emit(planning.common.output, options.json ? printExplanationsJson(values) : printExplanations(values));
}

} // namespace partita::driver
