//===- PipelineTactics.cpp - applies the tactic that makes a pipeline -----===//

#include "partita/Pipeline/PipelineTactics.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/HoistCasts.h"
#include "partita/Pipeline/LayerLoopChoice.h"
#include "partita/Pipeline/Peel.h"
#include "partita/Pipeline/RollLayers.h"
#include "partita/Pipeline/Ticks.h"
#include "partita/Program/InlineKernels.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Reorder/ReorderTactics.h"
#include "partita/Schedule/AutomaticTactics.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Temporal/LoopMicrobatches.h"

#include <cmath>

using namespace mlir;

namespace partita::pipeline {

static Schedule *findSchedule(PlanSource &source) {
  std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule ? &*schedule : nullptr;
}

static Tactic *findTactic(PlanSource &source) {
  Schedule *schedule = findSchedule(source);
  return schedule ? schedule::findPipelineTactic(*schedule) : nullptr;
}

const Tactic *findPipelineTactic(const PlanSource &source) { return findTactic(const_cast<PlanSource &>(source)); }

Status bindStages(PlanSource &source, llvm::StringRef text) {
  Tactic *tactic = findTactic(source);
  if (!tactic)
    return std::nullopt;
  Result<std::optional<Mesh>> mesh = findGivenMesh(text, source, Graph());
  if (!mesh)
    return mesh.error();
  if (!*mesh)
    return Error::badInput(tactic->location, "the number of stages of a pipeline is not known without a mesh")
        .withRemedy("give one: --mesh " + tactic->axis + "=4,data=2");
  for (const MeshAxis &axis : (*mesh)->axes)
    if (axis.name == tactic->axis)
      tactic->pipeline->stages = axis.size;
  if (tactic->pipeline->stages == 0)
    return Error::badInput(tactic->axisLocation, "'" + tactic->axis + "' is not an axis of the mesh " + (*mesh)->str());
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The request
//===----------------------------------------------------------------------===//

/// The numbers of the arguments that the tactic names.
static Result<llvm::DenseSet<unsigned>> findStacks(const Graph &graph, const Tactic &tactic) {
  CellNames names(graph);
  llvm::DenseSet<unsigned> stacks;
  for (const Pattern &pattern : tactic.pipeline->stacks) {
    std::vector<CellId> cells = names.match(pattern);
    if (cells.empty())
      return Error::badInput(tactic.location, "the pattern '" + pattern.getText() + "' matches no value");
    for (CellId cell : cells)
      if (graph.cells[cell].kind == CellKind::Argument)
        stacks.insert(graph.cells[cell].number);
  }
  if (tactic.pipeline->stacks.empty())
    for (CellId cell : graph.arguments)
      stacks.insert(graph.cells[cell].number);
  return stacks;
}

/// The batch, as the preset `data_parallel` finds it.
static Result<std::vector<Root>> findBatch(const Graph &graph, const Tactic &tactic) {
  TemporalTactic temporal{tactic.name, tactic.axis, tactic.pipeline->microbatches};
  temporal.location = tactic.location;
  return findRoots(graph, temporal);
}

/// The values that number the stages.
static std::string stagePattern() { return stageNumbers.str() + "(#.*)?"; }

/// Layers are a dim that a loop steps through, though there is a reshape before it: other axes split other dims.
static void addSteppedDims(Graph &graph, const LayerLoopChoice &choice, const std::optional<ReorderReport> &stored) {
  std::vector<CellId> stages;
  CellNames names(graph);
  if (Result<Pattern> pattern = Pattern::parse(stagePattern(), {}))
    stages = names.match(*pattern);
  // In a circular pipeline no loop steps through a stack in its order, which the loop over ticks does in all.
  if (graph.steppedDims.empty() && stages.empty())
    return;
  RegionId loop = graph.steppedDims.empty() ? graph.cells[stages.front()].region : graph.steppedDims.front().loop;
  for (const std::map<unsigned, unsigned> &stacks : {choice.stackedArguments, choice.cutArguments})
    for (auto [argument, dim] : stacks)
      graph.steppedDims.push_back({graph.arguments[argument], dim, loop});
  // Stored in the order of the stages, layers are the second of two dims.
  for (const StoredOrder &order : stored ? llvm::ArrayRef(stored->stored) : llvm::ArrayRef<StoredOrder>())
    if (!order.isResult)
      graph.steppedDims.push_back({graph.arguments[order.number], order.dim + 1, loop});
  for (CellId cell : stages)
    graph.steppedDims.push_back({cell, 0, loop});
}

/// An optional tactic over the axis of the pipeline, called like that one with `word` behind; nothing if the schedule
/// has it already, or leaves it to a search.
static std::optional<Tactic> makeCompanion(const Schedule &schedule, llvm::StringRef word) {
  const Tactic &pipeline = *schedule::findPipelineTactic(schedule);
  Tactic made;
  made.name = pipeline.name + " " + word.str();
  made.axis = pipeline.axis;
  made.axisLocation = pipeline.axisLocation;
  made.location = pipeline.location;
  made.isOptional = true;
  bool isGiven = llvm::any_of(schedule.tactics, [&](const Tactic &tactic) { return tactic.name == made.name; });
  return isGiven || hasAutomaticTactics(schedule) ? std::nullopt : std::optional(std::move(made));
}

/// Whether the tactic splits the batch: a preset that does, or tiles of its values.
static bool splitsBatch(const Tactic &tactic, const CellNames &names, llvm::ArrayRef<Root> batch) {
  if (tactic.preset)
    return tactic.preset->kind == PresetKind::DataParallel || tactic.preset->kind == PresetKind::Fsdp;
  return llvm::any_of(tactic.entries, [&](const ScheduleEntry &entry) {
    return entry.kind == ActionKind::Tile && llvm::any_of(names.match(entry.pattern), [&](CellId cell) {
             return llvm::any_of(batch, [&](const Root &root) { return root.cell == cell; });
           });
  });
}

/// What is outside of the loops over layers, embedding and loss, has nothing to split over the axis but its batch. A
/// search finds that by itself.
static void addBatchTactic(Schedule &schedule, const Graph &graph) {
  std::optional<Tactic> batch = makeCompanion(schedule, "batch");
  if (!batch)
    return;
  batch->preset.emplace();
  auto place = llvm::find_if(schedule.tactics, [](const Tactic &tactic) { return tactic.pipeline.has_value(); });
  // In the rewritten program no argument may look like a batch any more; then presets alone tell.
  Result<std::vector<Root>> found = findBatch(graph, *place);
  std::vector<Root> roots = found ? std::move(*found) : std::vector<Root>();
  // Behind what splits the batch over other axes: theirs are the major parts of it.
  CellNames names(graph);
  for (auto next = place; next != schedule.tactics.end(); ++next)
    if (splitsBatch(*next, names, roots))
      place = next;
  schedule.tactics.insert(std::next(place), std::move(*batch));
}

static Status addTile(Tactic &tactic, const std::string &text, std::optional<uint32_t> dim) {
  Result<Pattern> pattern = Pattern::parse(text, tactic.location);
  if (!pattern)
    return pattern.error();
  tactic.entries.push_back({ActionKind::Tile, std::move(*pattern), dim, tactic.location});
  return std::nullopt;
}

/// Tiles of the stacks along their layers, and of the numbers of the stages: where no stack is split as it is stored,
/// these take the axis into the pipeline.
static Status setTiles(Tactic &tactic, const LayerLoopChoice &choice) {
  tactic.entries.clear();
  for (auto [argument, dim] : choice.stackedArguments)
    if (Status wrong = addTile(tactic, "arg" + std::to_string(argument), dim))
      return wrong;
  return addTile(tactic, stagePattern(), 0);
}

/// Stacks of which the pipeline has only a part of the layers, or takes them in another order, and weights of single
/// layers, are stored split along another dim.
static Status addStorageTactic(Schedule &schedule, const LayerLoopChoice &choice) {
  std::optional<Tactic> storage = makeCompanion(schedule, "storage");
  std::set<unsigned> arguments = choice.layerArguments;
  for (auto [argument, dim] : choice.cutArguments)
    arguments.insert(argument);
  if (arguments.empty() || !storage)
    return std::nullopt;
  for (unsigned argument : arguments)
    if (Status wrong = addTile(*storage, "arg" + std::to_string(argument), std::nullopt))
      return wrong;
  // Last: what other axes split stays where it is.
  schedule.tactics.push_back(std::move(*storage));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// An error of the microbatches of a loop as one of its pipeline.
static Error rename(Error error) {
  constexpr llvm::StringLiteral before = "no microbatches: ";
  if (llvm::StringRef(error.reason).starts_with(before))
    error.reason = "no pipeline: " + error.reason.substr(before.size());
  return error;
}

/// Removes ops that nothing uses, last to first.
static void eraseDeadOps(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    for (mlir::Region &region : op.getRegions())
      for (Block &inner : region)
        eraseDeadOps(inner);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

/// The rewritten program must verify: a failure is a defect of ours.
static Status verifyProgram(ModuleOp module) {
  DiagnosticCollector collector(module.getContext(), "");
  if (failed(verifyKinds(module)))
    return Error::internal("the program of a pipeline does not verify: " + collector.takeError("no reason").reason)
        .withRemedy("this is a defect of Partita; please report it with the program and the schedule");
  return std::nullopt;
}

static Error refuseNoLoop(const Tactic &tactic) {
  return Error::unsupported(tactic.location, "no pipeline: no loop steps through the layers that the tactic names")
      .withRemedy("name the weights of layers that are alike, one behind the other; or stack the weights and scan over "
                  "them (jax.lax.scan)");
}

namespace {

/// What a pipeline is made of.
struct Request {
  Flattened flattened;
  std::vector<Root> batch;
  LayerLoopChoice choice;
};

} // namespace

/// The same rows in the graph of a program with the same arguments.
static std::vector<Root> moveRoots(llvm::ArrayRef<Root> roots, const Graph &from, const Graph &to) {
  std::vector<Root> moved;
  for (Root root : roots)
    if (from.cells[root.cell].kind == CellKind::Argument) {
      root.cell = to.arguments[from.cells[root.cell].number];
      moved.push_back(root);
    }
  return moved;
}

/// `before`: the request for the program before it was changed. Its batch is still the batch, though what it was known
/// by may be gone; null if there is none.
static Result<Request> findRequest(ModuleOp module, const Tactic &tactic, const FlattenOptions &options,
                                   int64_t numStages, const Request *before = nullptr) {
  Request request;
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  request.flattened = std::move(*flattened);
  const Graph &graph = request.flattened.graph;
  Result<llvm::DenseSet<unsigned>> stacks = findStacks(graph, tactic);
  if (!stacks)
    return stacks.error();
  if (before)
    request.batch = moveRoots(before->batch, before->flattened.graph, graph);
  if (request.batch.empty()) {
    Result<std::vector<Root>> roots = findBatch(graph, tactic);
    if (!roots)
      return roots.error();
    request.batch = std::move(*roots);
  }
  llvm::DenseSet<unsigned> batch;
  for (const Root &root : request.batch)
    if (graph.cells[root.cell].kind == CellKind::Argument)
      batch.insert(graph.cells[root.cell].number);
  request.choice = chooseLayerLoops(module.lookupSymbol<func::FuncOp>("main"), *stacks, batch, numStages);
  return request;
}

/// Multiplications and additions of a step.
static double countFlops(const Graph &graph) {
  double flops = 0;
  for (const Op &op : graph.ops.raw())
    if (op.opClass == OpClass::Contraction || op.opClass == OpClass::Opaque)
      flops += double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region)));
  return flops;
}

/// Rewrites the loops over layers of `module` into pipelines. `choice` gets what they are made of; its loops are gone
/// then. `flops` gets those of the program before.
static Result<Pipelined> applyTactic(ModuleOp module, Tactic &tactic, const FlattenOptions &options,
                                     LayerLoopChoice &choice, double &flops) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  replaceKnownResults(main);
  for (auto loop : llvm::to_vector(main.getBody().front().getOps<stablehlo::WhileOp>()))
    if (Status wrong = inlineKernels(loop))
      return std::move(*wrong);
  Pipelined done{tactic.pipeline->stages, tactic.pipeline->microbatches, tactic.pipeline->repeats};
  StageBlocks blocks{done.stages, done.repeats, tactic.pipeline->isStored};
  Result<Request> request = findRequest(module, tactic, options, /*numStages=*/1);
  if (!request)
    return request.error();
  flops = countFlops(request->flattened.graph);
  if (request->choice.loops.empty()) {
    Result<int64_t> rolled = rollLayers(main, request->flattened);
    if (!rolled)
      return rolled.error();
    done.isRolled = *rolled > 0;
    eraseDeadOps(main.getBody().front());
    request = findRequest(module, tactic, options, /*numStages=*/1, &*request);
    if (!request)
      return request.error();
  }
  if (request->choice.loops.empty())
    return refuseNoLoop(tactic);
  bool isChanged = hoistCasts(request->choice.loops);
  Result<Evened> evened = evenLoops(request->choice.loops, blocks);
  if (!evened)
    return evened.error();
  done.peeled = evened->peeled;
  done.idle = evened->idle;
  if (isChanged || done.peeled > 0 || done.idle > 0) {
    eraseDeadOps(main.getBody().front());
    request = findRequest(module, tactic, options, blocks.count(), &*request);
  }
  if (!request)
    return request.error();
  choice = std::move(request->choice);
  Result<SmallVector<stablehlo::WhileOp>> loops =
      runLoopsInMicrobatches(main, request->flattened, done.microbatches, request->batch, choice.loops);
  if (!loops)
    return rename(loops.error());
  JoinedStacks joined;
  for (stablehlo::WhileOp loop : *loops) {
    Result<LayerNest> nest = findLayerNest(loop, blocks);
    if (!nest)
      return nest.error();
    done.layers.push_back(nest->numLayers);
    if (Status wrong = writeTicks(*nest, blocks, joined))
      return std::move(*wrong);
  }
  eraseDeadOps(main.getBody().front());
  if (Status wrong = verifyProgram(module))
    return std::move(*wrong);
  return done;
}

/// A stage's blocks do not lie side by side in a stack, unless it is stored so.
static Status placeBlocks(PreparedProgram &prepared, const Tactic &tactic, LayerLoopChoice &choice,
                          const FlattenOptions &options) {
  std::map<unsigned, unsigned> stacks = std::move(choice.stackedArguments);
  choice.stackedArguments.clear();
  if (tactic.pipeline->isStored && !stacks.empty()) {
    ReorderTactic order{tactic.name, {}};
    order.isStored = true;
    for (auto [argument, dim] : stacks) {
      Result<Pattern> pattern = Pattern::parse("arg" + std::to_string(argument), tactic.location);
      if (!pattern)
        return pattern.error();
      order.entries.push_back({std::move(*pattern), dim, tactic.pipeline->stages, tactic.location});
    }
    Result<ReorderReport> report = applyReorderTactic(*prepared.rewritten, order, options);
    if (!report)
      return report.error();
    for (const StoredOrder &stored : report->stored)
      if (auto stack = stacks.find(stored.number); !stored.isResult && stack != stacks.end())
        choice.stackedArguments.insert(stacks.extract(stack));
    prepared.rewrites.reordered = std::move(*report);
  }
  choice.cutArguments.merge(stacks);
  return std::nullopt;
}

Result<PreparedProgram> prepareProgram(ModuleOp module, PlanSource &source, const FlattenOptions &options) {
  Tactic *tactic = findTactic(source);
  if (!tactic || tactic->pipeline->stages == 1)
    return temporal::prepareProgram(module, source, options);
  const TemporalTactic *temporal = findTemporalTactic(source);
  if (temporal && temporal->count != 1)
    return Error::unsupported(temporal->location, "microbatches around a pipeline are not supported")
        .withRemedy("leave the temporal tactic out: a pipeline has microbatches of its own");
  PreparedProgram prepared;
  prepared.rewritten = module.clone();
  if (const RematTactic *remat = findRematTactic(source)) {
    Result<RematReport> report = applyRematTactic(*prepared.rewritten, *remat, options);
    if (!report)
      return report.error();
    prepared.rewrites.remat = std::move(*report);
  }
  LayerLoopChoice choice;
  double flops = 0;
  Result<Pipelined> report = applyTactic(*prepared.rewritten, *tactic, options, choice, flops);
  if (!report)
    return report.error();
  prepared.rewrites.pipelined = std::move(*report);
  if (tactic->pipeline->repeats > 1)
    if (Status wrong = placeBlocks(prepared, *tactic, choice, options))
      return std::move(*wrong);
  if (Status wrong = setTiles(*tactic, choice))
    return std::move(*wrong);
  Result<Flattened> flattened = flatten(*prepared.rewritten, options);
  if (!flattened)
    return flattened.error();
  prepared.flattened = std::move(*flattened);
  if (double all = countFlops(prepared.flattened.graph); all > flops)
    prepared.rewrites.pipelined->usefulFlopsPpm = std::llround(flops / all * 1e6);
  addSteppedDims(prepared.flattened.graph, choice, prepared.rewrites.reordered);
  if (!source.schedule)
    return prepared;
  addBatchTactic(*source.schedule, prepared.flattened.graph);
  if (Status wrong = addStorageTactic(*source.schedule, choice))
    return std::move(*wrong);
  return prepared;
}

} // namespace partita::pipeline
