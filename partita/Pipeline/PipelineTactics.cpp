//===- PipelineTactics.cpp - applies the tactic that makes a pipeline -----===//

#include "partita/Pipeline/PipelineTactics.h"

#include "partita/Dialect/Diagnostics.h"
#include "partita/Pipeline/LayerPiper.h"
#include "partita/Pipeline/Ticks.h"
#include "partita/Program/VerifyKinds.h"
#include "partita/Reorder/ReorderTactics.h"
#include "partita/Schedule/AutomaticTactics.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Temporal/ScatteredSums.h"

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
    size_t before = stacks.size();
    for (CellId cell : cells)
      if (graph.cells[cell].kind == CellKind::Argument)
        stacks.insert(graph.cells[cell].number);
    if (stacks.size() == before &&
        llvm::none_of(cells, [&](CellId cell) { return graph.cells[cell].kind == CellKind::Argument; }))
      return Error::badInput(tactic.location, "'" + names.getName(cells.front()) + "', which the pattern '" +
                                                  pattern.getText() + "' matches, is no argument")
          .withRemedy("a pipeline is named by the weights of its layers: give their names, or [] for all loops over "
                      "layers");
  }
  if (tactic.pipeline->stacks.empty())
    for (CellId cell : graph.arguments)
      stacks.insert(graph.cells[cell].number);
  return stacks;
}

/// The batch, as the preset `data_parallel` finds it, of which each of `around` microbatches is cut again.
static Result<std::vector<BatchDim>> findBatch(const Graph &graph, const Tactic &tactic, int64_t around = 1) {
  TemporalTactic temporal{tactic.name, tactic.axis, around * tactic.pipeline->microbatches};
  temporal.location = tactic.location;
  Result<std::vector<Root>> roots = findRoots(graph, temporal);
  if (!roots)
    return roots.error();
  std::vector<BatchDim> batch;
  for (const Root &root : *roots)
    if (graph.cells[root.cell].kind == CellKind::Argument)
      batch.push_back({graph.cells[root.cell].number, root.dim, around});
  return batch;
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
static bool splitsBatch(const Tactic &tactic, const CellNames &names, llvm::ArrayRef<CellId> batch) {
  if (tactic.preset)
    return tactic.preset->kind == PresetKind::DataParallel || tactic.preset->kind == PresetKind::Fsdp;
  return llvm::any_of(tactic.entries, [&](const ScheduleEntry &entry) {
    return entry.kind == ActionKind::Tile &&
           llvm::any_of(names.match(entry.pattern), [&](CellId cell) { return llvm::is_contained(batch, cell); });
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
  Result<std::vector<BatchDim>> found = findBatch(graph, *place);
  std::vector<CellId> arguments;
  for (const BatchDim &dim : found ? *found : std::vector<BatchDim>())
    arguments.push_back(graph.arguments[dim.argument]);
  // Behind what splits the batch over other axes: theirs are the major parts of it.
  CellNames names(graph);
  for (auto next = place; next != schedule.tactics.end(); ++next)
    if (splitsBatch(*next, names, arguments))
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

/// Multiplications and additions of a step.
static double countFlops(const Graph &graph) {
  double flops = 0;
  for (const Op &op : graph.ops.raw())
    if (op.opClass == OpClass::Contraction || op.opClass == OpClass::Opaque)
      flops += double(op.flops) * double(std::max<int64_t>(1, graph.getMultiplicity(op.region)));
  return flops;
}

/// Rewrites the loops over layers of `module` into pipelines: those of the straight code, or of the turns of a loop
/// around them. `choice` gets what they are made of; its loops are gone then.
static Result<Pipelined> applyTactic(ModuleOp module, const Tactic &tactic, const PipelineSubject &subject,
                                     const FlattenOptions &options, LayerLoopChoice &choice) {
  Pipelined done{tactic.pipeline->stages, tactic.pipeline->microbatches, tactic.pipeline->repeats};
  StageBlocks blocks{done.stages, done.repeats, tactic.pipeline->isStored};
  LayerPiper piper(options, blocks, done);
  for (LayerKind kind : {LayerKind::Looped, LayerKind::Unrolled})
    for (bool isEnclosed : {false, true}) {
      Result<bool> isPiped = isEnclosed ? piper.pipeTurns(module, subject, kind, choice)
                                        : piper.pipeStraightCode(module, subject, kind, choice);
      if (!isPiped)
        return isPiped.error();
      if (!*isPiped)
        continue;
      if (Status wrong = verifyProgram(module))
        return std::move(*wrong);
      return done;
    }
  return refuseNoLoop(tactic);
}

/// What the tactic is about, by the program without microbatches around the pipeline. `flops` gets those of a step.
static Result<PipelineSubject> findSubject(ModuleOp module, const Tactic &tactic, int64_t around,
                                           const FlattenOptions &options, double &flops) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  flops = countFlops(flattened->graph);
  Result<llvm::DenseSet<unsigned>> stacks = findStacks(flattened->graph, tactic);
  if (!stacks)
    return stacks.error();
  Result<std::vector<BatchDim>> batch = findBatch(flattened->graph, tactic, around);
  if (!batch)
    return batch.error();
  return PipelineSubject{std::move(*stacks), std::move(*batch)};
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

/// Stacks and stages are made of the program's own sizes and orders.
static Status refuseOtherForms(const Schedule &schedule) {
  auto refuse = [](const SourceLocation &location, const std::string &form) {
    return Error::unsupported(location, "no pipeline: dims that are " + form + " beside one are not supported")
        .withRemedy("leave one of the two tactics out");
  };
  if (schedule.padding)
    return refuse(schedule.padding->location, "padded");
  if (schedule.reorder)
    return refuse(schedule.reorder->location, "reordered");
  return std::nullopt;
}

Result<PreparedProgram> prepareProgram(ModuleOp module, PlanSource &source, const FlattenOptions &options) {
  Tactic *tactic = findTactic(source);
  if (!tactic || tactic->pipeline->stages == 1)
    return temporal::prepareProgram(module, source, options);
  if (Status wrong = refuseOtherForms(*findSchedule(source)))
    return std::move(*wrong);
  PreparedProgram prepared;
  prepared.rewritten = module.clone();
  if (const RematTactic *remat = findRematTactic(source)) {
    Result<RematReport> report = applyRematTactic(*prepared.rewritten, *remat, options);
    if (!report)
      return report.error();
    prepared.rewrites.remat = std::move(*report);
  }
  const TemporalTactic *temporal = findTemporalTactic(source);
  bool isCut = temporal && temporal->count > 1;
  double flops = 0;
  Result<PipelineSubject> subject =
      findSubject(*prepared.rewritten, *tactic, isCut ? temporal->count : 1, options, flops);
  if (!subject)
    return subject.error();
  if (isCut) {
    Result<Accumulated> report = applyTemporalTactic(*prepared.rewritten, *temporal, options);
    if (!report)
      return report.error();
    prepared.rewrites.accumulated = std::move(*report);
  }
  LayerLoopChoice choice;
  Result<Pipelined> report = applyTactic(*prepared.rewritten, *tactic, *subject, options, choice);
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
  if (prepared.rewrites.accumulated)
    dropCutBoundaries(prepared.flattened.graph, *prepared.rewrites.accumulated);
  if (!source.schedule)
    return prepared;
  if (isCut)
    addScatterTactic(*source.schedule, prepared.flattened.graph);
  addBatchTactic(*source.schedule, prepared.flattened.graph);
  if (Status wrong = addStorageTactic(*source.schedule, choice))
    return std::move(*wrong);
  return prepared;
}

} // namespace partita::pipeline
