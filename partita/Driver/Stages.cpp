//===- Stages.cpp - the stages that commands are made of ------------------===//

#include "partita/Driver/Stages.h"

#include "partita/Graph/GraphJson.h"
#include "partita/Lower/FindCollectives.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/MemoryPool.h"
#include "partita/Program/NamesFile.h"
#include "partita/Program/ProgramText.h"
#include "partita/Program/Reader.h"
#include "partita/Schedule/Presets.h"
#include "partita/Search/Bound/Bound.h"
#include "partita/Simulate/PlanTimeline.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace partita::driver {

Result<OwningOpRef<ModuleOp>> importFile(llvm::StringRef path, MLIRContext &context, const CommonOptions &common,
                                         const ReadOptions &program, StageClock &clock) {
  auto module = clock.run("parse", [&] { return readProgram(path, context, common.limits); });
  if (!module)
    return module;
  Status error = clock.run("import", [&] { return importProgram(**module, program.import, common.limits); });
  if (error) {
    if (error->location.file.empty())
      error->location.file = path.str();
    return std::move(*error);
  }
  if (program.names.empty())
    return module;
  if (Status wrong = applyNamesFile(**module, program.names, common.limits))
    return std::move(*wrong);
  return module;
}

Result<Graph> readGraphFile(llvm::StringRef path, const CommonOptions &common, StageClock &clock) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, common.limits);
  if (!buffer)
    return buffer.error();
  setActivity("reading the graph " + path.str());
  return clock.run("read", [&] { return readGraph((*buffer)->getBuffer(), path); });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Reads what the user gave: a schedule, a plan file, or shardings in the program.
static Result<PlanSource> readGivenSource(const PlanningOptions &options, const PlanSetting &setting) {
  const PlanOptions &given = options.plan;
  bool isGiven = !given.plan.empty() || !given.schedule.empty();
  if (!given.plan.empty() && !given.schedule.empty())
    return Error::usage("--plan and --schedule exclude each other").withRemedy("give one of them");
  if (setting.usesProgramShardings && isGiven)
    return Error::usage("--annotated excludes --plan and --schedule").withRemedy("give one of them");
  if (setting.source)
    return *setting.source;
  if (isGiven)
    return given.plan.empty() ? readScheduleFile(given.schedule, options.common.limits)
                              : readPlanFile(given.plan, options.common.limits);
  PlanSource source;
  source.schedule.emplace();
  if (setting.usesProgramShardings || options.automatic.search.method == "none" ||
      (given.isRewriting() && options.machine.machine.empty()))
    return source;
  if (options.machine.machine.empty())
    return Error::usage("there is nothing to plan with")
        .withRemedy("give tactics with --schedule FILE, or a machine to search for, with --machine h100-sxm:1x8");
  source.schedule = makeAutomaticSchedule();
  return source;
}

static Result<PlanSource> readSource(const PlanningOptions &options, const PlanSetting &setting) {
  Result<PlanSource> source = readGivenSource(options, setting);
  if (source)
    source = addRematTactic(std::move(*source), options.plan.recompute, options.plan.keep);
  return source ? addTemporalTactic(std::move(*source), options.plan.accumulate) : source.error();
}

/// The mesh: `--mesh`, or that of the plan file, or that of the program, or the best of the searched shapes.
static Result<Mesh> chooseMesh(const PlanningOptions &options, const PlanSource &source, const LazyAnalysis &analysis,
                               std::vector<MeshTrial> &trials) {
  Result<std::optional<Mesh>> given = findGivenMesh(options.plan.mesh, source, analysis.getGraph());
  if (!given)
    return given.error();
  if (*given)
    return std::move(**given);
  if (options.automatic.devices == 1 || !getShardings(source).empty())
    return Error::usage("there is no mesh")
        .withRemedy("give one with --mesh data=4,model=2; a search also chooses one for --devices 8");
  Result<SearchSetting> setting = makeSearchSetting(options.machine, options.automatic.search);
  if (!setting)
    return setting.error();
  SearchProgress progress("", options.automatic.search.progress == "jsonl");
  Result<std::vector<MeshTrial>> found =
      searchMeshes(analysis.get(), options.automatic.devices, *source.schedule, *setting, progress.getWatch());
  if (!found)
    return found.error();
  trials = std::move(*found);
  return trials.front().mesh;
}

/// Runs the searches of automatic tactics, if there are any, as a stage of its own.
static Result<SearchedSchedule> searchAutomaticTactics(Schedule schedule, const Mesh &mesh,
                                                       const LazyAnalysis &analysis,
                                                       const std::vector<ExistingCollective> &existing,
                                                       const PlanningOptions &options, StageClock &clock) {
  if (!hasAutomaticTactics(schedule))
    return SearchedSchedule{std::move(schedule), {}};
  Result<SearchSetting> setting = makeSearchSetting(options.machine, options.automatic.search);
  if (!setting)
    return setting.error();
  const SearchOptions &search = options.automatic.search;
  SearchProgress progress(search.dumpEvaluated, search.progress == "jsonl");
  return clock.run("search", [&] {
    return searchSchedule(analysis.get(), mesh, std::move(schedule), *setting, existing, progress.getWatch());
  });
}

/// Builds the plan of a flat program from `given`.
static Result<MadePlan> buildPlanFrom(Flattened flattened, PlanSource given, const PlanningOptions &options,
                                      const PlanSetting &setting, StageClock &clock) {
  MadePlan made;
  auto bound = std::make_unique<Flattened>(std::move(flattened));
  Result<PlanSource> expanded = expandPresets(std::move(given), bound->graph);
  if (!expanded)
    return expanded.error();
  PlanSource &source = *expanded;
  made.analysis = std::make_unique<const LazyAnalysis>(bound->graph);
  Result<Mesh> mesh = chooseMesh(options, source, *made.analysis, made.search.meshes);
  if (!mesh)
    return mesh.error();
  Result<std::vector<std::string>> warnings = bindPartitionRules(getShardings(source), *mesh, bound->graph);
  if (!warnings)
    return warnings.error();
  for (const std::string &warning : *warnings)
    llvm::errs() << "partita: warning: " << warning << "\n";
  made.flattened = std::move(bound);
  made.program = std::make_unique<const PlannedProgram>(made.flattened->graph);
  auto existing = findExistingCollectives(*made.flattened, *mesh, options.machine.cost.assumedTrips);
  if (!existing)
    return existing.error();
  made.search.seed = options.automatic.search.seed;
  if (source.plan) {
    made.planMachine = source.plan->machine;
    made.planPlacement = source.plan->placement;
    made.planPrice = source.plan->price;
    Result<PlanPtr> plan =
        replayPlan(*made.program, *mesh, std::move(*source.plan), std::move(*existing), clock, setting.afterTactic);
    if (!plan)
      return plan.error();
    made.plan = std::move(*plan);
    return made;
  }
  Result<SearchedSchedule> searched =
      searchAutomaticTactics(std::move(*source.schedule), *mesh, *made.analysis, *existing, options, clock);
  if (!searched)
    return searched.error();
  made.search.found = std::move(searched->found);
  Result<PlanPtr> plan =
      buildPlan(*made.program, *mesh, std::move(searched->schedule), std::move(*existing), clock, setting.afterTactic);
  if (!plan)
    return plan.error();
  made.plan = std::move(*plan);
  return made;
}

Result<PreparedProgram> prepareModule(ModuleOp module, const PlanningOptions &options, StageClock &clock) {
  Result<PlanSource> source = readSource(options, {});
  if (!source)
    return source.error();
  return clock.run("flatten", [&] { return prepareProgram(module, *source, options.flatten); });
}

Result<MadePlan> makePlan(ModuleOp module, const PlanningOptions &options, const PlanSetting &setting,
                          StageClock &clock) {
  Result<PlanSource> source = readSource(options, setting);
  if (!source)
    return source.error();
  auto program = clock.run("flatten", [&] { return prepareProgram(module, *source, options.flatten); });
  if (!program)
    return program.error();
  if (source->plan || setting.isHashed)
    program->flattened.graph.programSha256 = clock.run("hash", [&] { return hashProgram(module); });
  auto made = buildPlanFrom(std::move(program->flattened), std::move(*source), options, setting, clock);
  if (!made)
    return made;
  made->rewritten = std::move(program->rewritten);
  made->rewrites = std::move(program->rewrites);
  return made;
}

Result<MadePlan> makePlan(Graph graph, const PlanningOptions &options, StageClock &clock) {
  Result<PlanSource> source = readSource(options, {});
  if (!source)
    return source.error();
  if (Status wrong = refuseRewrites(*source))
    return std::move(*wrong);
  Flattened flattened;
  flattened.graph = std::move(graph);
  return buildPlanFrom(std::move(flattened), std::move(*source), options, {}, clock);
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

Result<PricePtr> makePrice(const MadePlan &made, const MachineOptions &options, StageClock &clock) {
  if (options.machine.empty())
    return PricePtr();
  Result<Machine> machine = resolveMachine(options.machine);
  if (!machine)
    return machine.error();
  // A replayed plan on its own machine keeps its placement.
  bool isOwn = options.placement.empty() && made.planMachine == machine->name;
  Result<Placement> placement =
      parsePlacement(isOwn ? made.planPlacement : options.placement, made.plan->getMesh(), *machine);
  if (!placement)
    return placement.error();
  Result<CostOptions> cost = resolveMemoryLimit(options.memoryLimit, options.cost, *machine);
  if (!cost)
    return cost.error();
  setActivity("pricing the plan");
  return clock.run("price", [&] { return pricePlan(*made.plan, {std::move(*machine), std::move(*placement), *cost}); });
}

/// The lower bound of the time of all plans: that of the search, or of the plan's file, or a new one; 0 if none is
/// asked for.
static int64_t chooseBound(const ScoredPlan &scored, bool withBound, StageClock &clock) {
  const std::vector<FoundTactics> &found = scored.made.search.found;
  if (!found.empty())
    return found.back().lowerBoundPs;
  if (scored.made.planPrice && scored.made.planMachine == scored.price->getMachine().name)
    if (std::optional<int64_t> bound = findRecordedBound(*scored.made.planPrice, *scored.price))
      return *bound;
  return withBound ? clock.run("bound", [&] { return computeLowerBoundPs(*scored.price); }) : 0;
}

Result<ScoredPlan> scorePlan(MadePlan made, const MachineOptions &options, const ScoreSetting &setting,
                             StageClock &clock) {
  Result<PricePtr> price = makePrice(made, options, clock);
  if (!price)
    return price.error();
  for (const std::string &note : *price ? (*price)->getMachine().notes : std::vector<std::string>())
    llvm::errs() << "partita: note: " << note << "\n";
  ScoredPlan scored;
  scored.made = std::move(made);
  scored.price = std::move(*price);
  const Plan &plan = *scored.made.plan;
  llvm::ArrayRef<UnknownOp> unknown = scored.made.flattened->unknown;
  if (!scored.price) {
    scored.score = buildScore(plan, unknown, std::nullopt);
    return scored;
  }
  scored.timeline = clock.run("simulate", [&] { return simulatePlan(*scored.price); });
  int64_t boundPs = chooseBound(scored, setting.withBound, clock);
  scored.made.search = withPlanCost(std::move(scored.made.search), *scored.price, scored.timeline.totalPs);
  scored.score = clock.run("score", [&] {
    return buildScore(plan, unknown, SimulatedPrice{*scored.price, scored.timeline, boundPs, setting.scope});
  });
  return scored;
}

} // namespace partita::driver
