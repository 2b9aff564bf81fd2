//===- Stages.cpp - the stages that commands are made of ------------------===//

#include "partita/Driver/Stages.h"

#include "partita/Cost/PlacementChoice.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Machine/MachineFile.h"
#include "partita/Machine/MemoryPool.h"
#include "partita/Machine/PlacementMatrix.h"
#include "partita/Program/NamesFile.h"
#include "partita/Program/ProgramText.h"
#include "partita/Program/Reader.h"
#include "partita/Search/AxisNames.h"
#include "partita/Search/Bound/Bound.h"
#include "partita/Simulate/PlanTimeline.h"
#include "partita/Support/Interrupt.h"

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
        .withRemedy("to search, give a mesh and a machine, --mesh data=8 --machine h100-sxm:1x8; or give tactics with "
                    "--schedule FILE");
  source.schedule = makeAutomaticSchedule();
  return source;
}

static Result<PlanSource> readSource(const PlanningOptions &options, const PlanSetting &setting) {
  Result<PlanSource> source = readGivenSource(options, setting);
  if (source && source->schedule && options.plan.noPadding)
    source->schedule->mayPad = false;
  if (source)
    source = addRematTactic(std::move(*source), options.plan.recompute, options.plan.keep);
  if (source)
    source = addTemporalTactic(std::move(*source), options.plan.accumulate);
  if (!source)
    return source;
  if (Status wrong = bindStages(*source, options.plan.mesh))
    return std::move(*wrong);
  return source;
}

/// A search that goes on has the mesh and the placement of the plan that it goes on from. A folder without a plan is
/// refused later.
static std::optional<Mesh> keepPlacement(const PlanningOptions &options, MadePlan &made) {
  Result<PlanSource> earlier = readPlanFile(options.automatic.search.resume + "/plan.json", options.common.limits);
  if (!earlier || !earlier->plan)
    return std::nullopt;
  made.planMachine = earlier->plan->machine;
  made.planPlacement = earlier->plan->placement;
  return earlier->plan->mesh;
}

/// An axis that a schedule names and that the mesh does not have with which a search of shapes begins; empty if there
/// is none. That axis is cut later, and its first part keeps its name.
static std::string findUnknownAxis(const Schedule &schedule, const Mesh &whole) {
  auto isUnknown = [&](llvm::StringRef name) {
    return !name.empty() && !whole.findAxis(name.take_until([](char letter) { return letter == ':'; }));
  };
  for (const Tactic &tactic : schedule.tactics) {
    if (isUnknown(tactic.axis))
      return tactic.axis;
    if (tactic.automatic)
      for (const std::string &axis : tactic.automatic->axes)
        if (isUnknown(axis))
          return axis;
  }
  return "";
}

/// The mesh with which a search for a number of devices begins, or that of the plan from which it goes on.
static Result<Mesh> openMesh(const PlanningOptions &options, const PlanSource &source, const LazyAnalysis &analysis,
                             const SearchSetting &setting, MadePlan &made) {
  constexpr llvm::StringRef remedy = "give one with --mesh";
  const Schedule &schedule = *source.schedule;
  Mesh whole = makeWholeMesh(options.automatic.devices);
  if (!options.machine.placement.empty())
    return Error::usage("--placement needs a mesh")
        .withRemedy(remedy.str() + "; a search for a number of devices chooses both");
  if (!hasAutomaticTactics(schedule))
    return Error::usage("a schedule without automatic tactics needs a mesh").withRemedy(remedy.str());
  if (std::string axis = findUnknownAxis(schedule, whole); !axis.empty())
    return Error::usage("a schedule that names the axis '" + axis + "' needs a mesh")
        .withRemedy(remedy.str() + "; a search for a number of devices knows no axis but 'data' when it begins");
  std::optional<Mesh> earlier = options.automatic.search.resume.empty() ? std::nullopt : keepPlacement(options, made);
  if (earlier && earlier->getNumDevices() == options.automatic.devices)
    return std::move(*earlier);
  Result<Placement> placed = placeRowMajor(whole, setting.machine);
  if (!placed)
    return placed.error();
  // One device is one mesh.
  made.isMeshOpen = options.automatic.devices > 1;
  made.areAxesFree = areAxesFree(analysis.getGraph(), schedule);
  made.planMachine = setting.machine.name;
  made.planPlacement = printPlacement(*placed, whole, setting.machine);
  return whole;
}

/// The mesh: `--mesh`, or that of the plan file, or that of the program, or the best of the searched shapes. If a
/// search chose where the axes lie on the machine, `made` has that too.
static Result<Mesh> chooseMesh(const PlanningOptions &options, const PlanSource &source, const LazyAnalysis &analysis,
                               MadePlan &made) {
  Result<std::optional<Mesh>> given = findGivenMesh(options.plan.mesh, source, analysis.getGraph());
  if (!given)
    return given.error();
  const SearchOptions &search = options.automatic.search;
  bool isPlaced = source.plan || !options.machine.placement.empty() || !hasAutomaticTactics(*source.schedule);
  if (*given && options.automatic.devices > 1 && (*given)->getNumDevices() != options.automatic.devices)
    return Error::usage("--devices is " + std::to_string(options.automatic.devices) + ", but mesh " + (*given)->str() +
                        " has " + std::to_string((*given)->getNumDevices()) + " devices")
        .withRemedy("leave out --devices: a search chooses the shape only where there is no mesh");
  if (*given && !isPlaced && !search.resume.empty())
    keepPlacement(options, made);
  // Each placement is a search of its own, for which a deadline leaves no time.
  if (*given && (isPlaced || !search.resume.empty() || !search.deadline.empty()))
    return std::move(**given);
  Error missing = Error::usage("there is no mesh")
                      .withRemedy("give one with --mesh data=4,model=2; a search also chooses one for --devices 8");
  if (!*given && (options.machine.machine.empty() || !getShardings(source).empty()))
    return missing;
  Result<SearchSetting> setting = makeSearchSetting(options.machine, options.automatic.search);
  if (!setting)
    return setting.error();
  if (!*given && options.automatic.devices == 1 && setting->machine.getNumDevices() > 1)
    return missing;
  if (!*given)
    return openMesh(options, source, analysis, *setting, made);
  SearchProgress progress("", options.automatic.search.progress == "jsonl");
  const Schedule &schedule = *source.schedule;
  Result<std::vector<MeshTrial>> found =
      searchPlacements(analysis.get(), **given, schedule, *setting, progress.getWatch());
  if (!found)
    return found.error();
  if (found->empty())
    return std::move(**given);
  made.search.meshes = std::move(*found);
  made.planMachine = setting->machine.name;
  made.planPlacement = made.search.meshes.front().placement;
  return made.search.meshes.front().mesh;
}

/// What is searched: automatic tactics, and which memory actions to take.
static Result<VariantProblem> makeProblem(ModuleOp module, PlanSource source, Mesh mesh, llvm::StringRef placement,
                                          const PlanningOptions &options) {
  Result<VariantKinds> allowed = parseKinds(options.automatic.variants);
  if (!allowed)
    return allowed.error();
  VariantProblem problem{module, std::move(source), options.flatten, std::move(mesh), std::nullopt, *allowed, {}};
  if (!isSearched(*problem.source.schedule))
    return problem;
  Result<SearchSetting> setting = makeSearchSetting(options.machine, options.automatic.search);
  if (!setting)
    return setting.error();
  problem.setting = std::move(*setting);
  if (!placement.empty())
    problem.setting->placement = placement;
  return problem;
}

/// What may be done to the collectives of the plan. Without being asked, products in pieces and rotated loops are tried
/// where it is known that XLA makes use of them: on NVIDIA GPUs.
static CollectiveActions findActions(const VariantProblem &problem, const PlanningOptions &options) {
  const Schedule &schedule = *problem.source.schedule;
  bool isFound = isSearched(schedule), isNamed = options.automatic.variants.namesMoves();
  bool mayMove = isNamed || (isFound && problem.setting && problem.setting->machine.platform == "cuda");
  bool mayChoose = schedule.choosesReductions || (isFound && problem.allowed.has(VariantKind::Reductions));
  return {.reductions = schedule.reductions.empty() && mayChoose,
          .pieces = mayMove && problem.allowed.has(VariantKind::Matmul),
          .rotation = mayMove && problem.allowed.has(VariantKind::Rotate)};
}

/// A bound holds for the placement that was searched, and for plans without reductions.
static void dropBound(MadePlan &made) {
  if (!made.search.found.empty())
    made.search.found.back().lowerBoundPs = 0;
}

/// The plan lies where `price` has it from now on.
static void moveTo(const Price &price, MadePlan &made) {
  made.planMachine = price.getMachine().name;
  made.planPlacement = printPlacement(price.setting.placement, price.plan.getMesh(), price.getMachine());
  if (!made.search.meshes.empty()) {
    MeshTrial trial = made.search.meshes.front();
    trial.placement = made.planPlacement;
    trial.cost = price.getCost();
    made.search.meshes.insert(made.search.meshes.begin(), std::move(trial));
  }
  dropBound(made);
}

/// Does to the plan's collectives what makes it faster, where it lies or elsewhere.
static Status applyActions(MadePlan &made, const CollectiveActions &allowed, const PlanningOptions &options,
                           const PlanSetting &setting, StageClock &clock) {
  if (!allowed.hasAny())
    return std::nullopt;
  Result<PricePtr> price = makePrice(made, options.machine, clock);
  if (!price)
    return price.error();
  if (!*price)
    return std::nullopt;
  std::optional<ActedPlan> acted =
      chooseCollectiveActions(**price, allowed, {made.mayBePlaced, clock, setting.afterTactic});
  if (!acted)
    return std::nullopt;
  if (acted->price->setting.placement != (*price)->setting.placement)
    moveTo(*acted->price, made);
  // Programs of steps are of these levels.
  made.mayBePlaced &= acted->plan->reductions.empty();
  dropBound(made);
  made.plan = std::move(acted->plan);
  return std::nullopt;
}

/// The mesh that was found. Its axes are called by what they carry in the plan, if that is not what they carried in the
/// short search that chose the mesh.
static void takeSearchedMesh(SearchedVariant &searched, MadePlan &made, Mesh &mesh) {
  mesh = searched.mesh;
  made.planPlacement = searched.placement;
  if (!made.areAxesFree || searched.searched.found.empty())
    return;
  AxisRenaming renaming(mesh, searched.searched.found.back().axisNames);
  renaming.rename(searched.searched);
  for (VariantTrial &each : searched.report.trials)
    if (each.variant.pipeline)
      each.variant.pipeline->axis = renaming.renameAxis(each.variant.pipeline->axis);
  mesh = renaming.getMesh();
  made.planPlacement = renaming.renamePlacement(made.planPlacement);
  if (!made.search.meshes.empty()) {
    made.search.meshes.front().mesh = mesh;
    made.search.meshes.front().placement = made.planPlacement;
  }
}

/// Builds the plan of a program. `module` is null if there is only a flat program.
static Result<MadePlan> buildPlanFrom(ModuleOp module, VariantProgram program, PlanSource given,
                                      const PlanningOptions &options, const PlanSetting &setting, StageClock &clock) {
  MadePlan made;
  Result<Mesh> mesh = chooseMesh(options, program.source, *program.analysis, made);
  if (!mesh)
    return mesh.error();
  if (Status wrong = padUnevenDims(module, *mesh, options.flatten, given, program))
    return std::move(*wrong);
  Result<std::vector<std::string>> warnings = bindMesh(program, *mesh, options.machine.cost.assumedTrips);
  if (!warnings)
    return warnings.error();
  for (const std::string &warning : *warnings)
    llvm::errs() << "partita: warning: " << warning << "\n";
  const SearchOptions &searchOptions = options.automatic.search;
  made.search.seed = searchOptions.seed;
  if (std::optional<PlanFile> &file = program.source.plan) {
    made.planMachine = file->machine;
    made.planPlacement = file->placement;
    made.planPrice = file->price;
    made.variant = std::move(program);
    Result<PlanPtr> plan = replayPlan(*made.variant.program, *mesh, std::move(*made.variant.source.plan),
                                      std::move(made.variant.existing), clock, setting.afterTactic);
    if (!plan)
      return plan.error();
    made.plan = std::move(*plan);
    return made;
  }
  Result<VariantProblem> problem = makeProblem(module, std::move(given), *mesh, made.planPlacement, options);
  if (!problem)
    return problem.error();
  CollectiveActions actions = problem->collectives = findActions(*problem, options);
  SearchProgress progress(searchOptions.dumpEvaluated, searchOptions.progress == "jsonl");
  problem->watch = progress.getWatch();
  auto search = made.isMeshOpen ? searchShapes : searchPlaced;
  Result<SearchedVariant> searched = search(std::move(*problem), std::move(program), made.search.meshes, clock);
  if (!searched)
    return searched.error();
  if (made.isMeshOpen || !made.search.meshes.empty())
    takeSearchedMesh(*searched, made, *mesh);
  made.mayBePlaced =
      !searched->searched.found.empty() && options.machine.placement.empty() && searchOptions.resume.empty();
  made.variant = std::move(searched->program);
  made.search.found = std::move(searched->searched.found);
  made.search.variants = std::move(searched->report);
  Result<PlanPtr> plan = buildPlan(*made.variant.program, *mesh, std::move(searched->searched.schedule),
                                   std::move(made.variant.existing), clock, setting.afterTactic);
  if (!plan)
    return plan.error();
  made.plan = std::move(*plan);
  if (Status wrong = applyActions(made, actions, options, setting, clock))
    return std::move(*wrong);
  return made;
}

Result<VariantProgram> prepareModule(ModuleOp module, const PlanningOptions &options, StageClock &clock) {
  Result<PlanSource> source = readSource(options, {});
  if (!source)
    return source.error();
  return clock.run("flatten", [&] { return prepareVariant(module, *source, options.flatten); });
}

Result<MadePlan> makePlan(ModuleOp module, const PlanningOptions &options, const PlanSetting &setting,
                          StageClock &clock) {
  Result<PlanSource> source = readSource(options, setting);
  if (!source)
    return source.error();
  auto program = clock.run("flatten", [&] { return prepareVariant(module, *source, options.flatten); });
  if (!program)
    return program.error();
  if (source->plan || setting.isHashed)
    program->flattened->graph.programSha256 = clock.run("hash", [&] { return hashProgram(module); });
  return buildPlanFrom(module, std::move(*program), std::move(*source), options, setting, clock);
}

Result<MadePlan> makePlan(Graph graph, const PlanningOptions &options, StageClock &clock) {
  Result<PlanSource> source = readSource(options, {});
  if (!source)
    return source.error();
  Result<VariantProgram> program = prepareGraph(std::move(graph), *source);
  if (!program)
    return program.error();
  return buildPlanFrom(nullptr, std::move(*program), std::move(*source), options, {}, clock);
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
  // A plan keeps the placement that it was replayed with or that a search chose.
  bool isOwn = options.placement.empty() && made.planMachine == machine->name;
  Result<Placement> placement =
      findPlacement(isOwn ? made.planPlacement : options.placement, made.plan->getMesh(), *machine);
  if (!placement)
    return placement.error();
  Result<CostOptions> cost = resolveMemoryLimit(options.memoryLimit, options.cost, *machine);
  if (!cost)
    return cost.error();
  setActivity("pricing the plan");
  return clock.run("price", [&] { return pricePlan(*made.plan, {std::move(*machine), std::move(*placement), *cost}); });
}

/// The lower bound of the time of all plans: that of the search, or of the plan's file, or a new one; 0 if none is
/// asked for. A plan of which something is done to collectives may be faster than all without: then it is what ops
/// take.
static int64_t chooseBound(const ScoredPlan &scored, bool withBound, StageClock &clock) {
  bool isActed = !scored.made.plan->reductions.empty() || scored.made.plan->hasMovedCollectives();
  const std::vector<FoundTactics> &found = scored.made.search.found;
  if (!found.empty())
    return isActed ? found.back().leastComputePs : std::max(found.back().lowerBoundPs, found.back().leastComputePs);
  if (scored.made.planPrice && scored.made.planMachine == scored.price->getMachine().name)
    if (std::optional<int64_t> bound = findRecordedBound(*scored.made.planPrice, *scored.price))
      return *bound;
  if (!withBound)
    return 0;
  return clock.run("bound", [&] {
    return isActed ? computeLeastComputePs(scored.price->model) : computeLowerBoundPs(*scored.price);
  });
}

static ScorePlacement describePlaced(const Price &price) {
  return {printPlacement(price.setting.placement, price.plan.getMesh(), price.getMachine()), price.computeTimePs()};
}

/// Where else the plan could lie: moves it if it may be placed. Returns what is to be said otherwise.
static std::pair<std::optional<ScorePlacement>, std::optional<ScorePlacement>> comparePlacements(ScoredPlan &scored) {
  std::optional<ScorePlacement> rowMajor, other;
  if (PricePtr better = findBetterPlacement(*scored.price)) {
    if (scored.made.mayBePlaced) {
      moveTo(*better, scored.made);
      scored.price = std::move(better);
    } else {
      other = describePlaced(*better);
    }
  }
  const PriceSetting &setting = scored.price->setting;
  Result<Placement> placed = placeRowMajor(scored.made.plan->getMesh(), setting.machine);
  if (placed && *placed != setting.placement)
    rowMajor = describePlaced(*priceElsewhere(*scored.price, std::move(*placed)));
  return {std::move(rowMajor), std::move(other)};
}

/// What the plan's programs of collectives, its products in pieces, and its rotated gathers are worth.
static void addTimesWithoutActions(const Plan &plan, ScoredPlan &scored) {
  const PriceSetting &at = scored.price->setting;
  auto computeTime = [&](const Plan &plain) {
    return pricePlan(plain, {at.machine, at.placement, at.options})->computeTimePs();
  };
  if (!plan.reductions.empty())
    scored.score.withoutReductionsPs = computeTime(*buildWithoutReductions(plan));
  if (!plan.pieces.empty()) {
    Result<PlanPtr> plain = buildWithPieces(plan, {});
    assert(plain && "a plan with nothing in pieces can always be built");
    scored.score.withoutPiecesPs = computeTime(**plain);
  }
  if (!plan.rotated.empty()) {
    Result<PlanPtr> plain = buildRotated(plan, {});
    assert(plain && "a plan with nothing rotated can always be built");
    scored.score.withoutRotatedPs = computeTime(**plain);
  }
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
  llvm::ArrayRef<UnknownOp> unknown = scored.made.variant.flattened->unknown;
  if (!scored.price) {
    scored.score = buildScore(plan, unknown, std::nullopt);
    return scored;
  }
  auto [rowMajor, better] = clock.run("placements", [&] { return comparePlacements(scored); });
  scored.timeline = clock.run("simulate", [&] { return simulatePlan(*scored.price); });
  int64_t boundPs = chooseBound(scored, setting.withBound, clock);
  scored.made.search = withPlanCost(std::move(scored.made.search), *scored.price, scored.timeline.totalPs);
  SimulatedPrice simulated{*scored.price, scored.timeline, boundPs, setting.scope};
  if (const auto &pipelined = scored.made.variant.rewrites.pipelined)
    simulated.usefulFlopsPpm = pipelined->usefulFlopsPpm;
  scored.score = clock.run("score", [&] { return buildScore(plan, unknown, simulated); });
  scored.score.rowMajor = std::move(rowMajor);
  scored.score.betterPlacement = std::move(better);
  addTimesWithoutActions(plan, scored);
  return scored;
}

} // namespace partita::driver
