//===- VariantRules.cpp - the kinds of variants, as a search sees them ----===//

#include "partita/Variants/VariantRules.h"

#include "partita/Pipeline/RollLayers.h"
#include "partita/Variants/Microbatches.h"
#include "partita/Variants/PaddingChoice.h"
#include "partita/Variants/ReorderChoice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::variants {

const Price *SearchedProgram::getPrice() const {
  if (!std::exchange(isPriced, true))
    if (Result<PricePtr> priced = priceSchedule(problem, program, searched.schedule, plan))
      price = std::move(*priced);
  return price.get();
}

/// Whether memory can make the program faster: something that it recomputes could be kept, or a plan that does not fit
/// is faster.
static bool mayTradeMemory(const ProbeHistory &history) {
  const VariantOutcome &first = history.probed.front().outcome;
  auto isKeep = [](const RematClass &known) { return known.kind == RematKind::Keep; };
  return llvm::any_of(history.classes, isKeep) || isFasterBy(first.fastestPs, first.cost.timePs, leastGain);
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

static bool mayAccumulate(const Schedule &schedule) {
  return schedule.temporal ? schedule.temporal->isAutomatic() : hasAutomaticTactics(schedule);
}

/// The temporal tactic whose number is open: of the schedule, or one that the search adds.
static TemporalTactic findTemporalTactic(const Schedule &schedule) {
  return schedule.temporal ? *schedule.temporal : TemporalTactic{"accumulate", "micro", automaticMicrobatches};
}

/// The numbers of microbatches to try; if there are none, a note says why.
static Status prepareCounts(const SearchedProgram &on, ProbeHistory &history) {
  const Graph &graph = on.program.flattened->graph;
  if (RegionId loop = findOwnAccumulation(on.program.analysis->get()); loop.isValid()) {
    history.notes.push_back("microbatches: the program has " + std::to_string(graph.regions[loop].trips) +
                            " of its own, in a loop that adds up gradients");
    return std::nullopt;
  }
  Result<int64_t> rows = countRows(graph, findTemporalTactic(*on.problem.source.schedule));
  if (!rows)
    return rows.error();
  history.counts = listCounts(*rows);
  return std::nullopt;
}

static void addMicrobatches(const Variant &variant, const ProbeHistory &, Schedule &schedule) {
  if (variant.microbatches == 1)
    return;
  schedule.temporal = findTemporalTactic(schedule);
  schedule.temporal->count = variant.microbatches;
}

static std::string describeMicrobatches(const Variant &variant) {
  return variant.microbatches > 1 ? std::to_string(variant.microbatches) + " microbatches" : "";
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

static bool mayRecompute(const Schedule &schedule) { return hasAutomaticTactics(schedule) && !schedule.remat; }

/// The program without microbatches, which are cut behind recomputation; nothing if it cannot be prepared.
static std::optional<VariantProgram> traceWhole(const SearchedProgram &on) {
  PlanSource source = on.problem.source;
  source.schedule->temporal.reset();
  Result<VariantProgram> traced = prepareBound(on.problem, std::move(source));
  return traced ? std::optional(std::move(*traced)) : std::nullopt;
}

static void collectClasses(const SearchedProgram &on, ProbeHistory &history) {
  if (!on.program.rewritten) {
    history.classes = findRematClasses(on.problem.module, *on.program.flattened);
    return;
  }
  if (std::optional<VariantProgram> traced = traceWhole(on)) {
    history.givenMicrobatches = on.program.rewrites.accumulated ? on.program.rewrites.accumulated->count : 1;
    mlir::ModuleOp whole = traced->rewritten ? *traced->rewritten : on.problem.module;
    history.classes = findRematClasses(whole, *traced->flattened);
  }
}

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

/// Prices the classes under the best plan of the program as it is, and under the fastest one if that is another. One
/// plan takes as long as a hundred states.
static Status prepareClasses(const SearchedProgram &on, ProbeHistory &history) {
  constexpr size_t most = 2;
  if (history.classes.empty())
    return std::nullopt;
  std::optional<VariantProgram> whole = on.program.rewritten ? traceWhole(on) : std::nullopt;
  const VariantProgram &traced = whole ? *whole : on.program;
  const VariantOutcome &first = history.probed.front().outcome;
  for (const CarriedPlan &plan : llvm::ArrayRef(first.plans).take_front(most)) {
    if (!history.priced.empty() && first.fits() && !isFasterBy(plan.timePs, first.cost.timePs, leastGain))
      break;
    PlanPtr built;
    Schedule schedule = replaceFound(*traced.source.schedule, on.searched, plan.tactics);
    if (Result<PricePtr> priced = priceSchedule(on.problem, traced, schedule, built))
      history.priced.push_back({plan.moves, priceClasses(**priced, history.classes)});
  }
  return std::nullopt;
}

/// Patterns that match these names and nothing else.
static std::vector<Pattern> makePatterns(llvm::ArrayRef<std::string> names) {
  std::vector<Pattern> patterns;
  for (const std::string &name : names)
    if (Result<Pattern> pattern = Pattern::parse(escapePattern(name), SourceLocation()))
      patterns.push_back(std::move(*pattern));
  return patterns;
}

static void addRemat(const Variant &variant, const ProbeHistory &, Schedule &schedule) {
  if (!variant.recomputed.empty() || !variant.kept.empty())
    schedule.remat = RematTactic{"remat", makePatterns(variant.recomputed), makePatterns(variant.kept)};
}

/// `3 activations kept (attention/exp, ...)`.
static std::string countActivations(llvm::ArrayRef<std::string> names, const char *verb) {
  bool isOne = names.size() == 1;
  return std::to_string(names.size()) + (isOne ? " activation " : " activations ") + verb + " (" + names.front() +
         (isOne ? ")" : ", ...)");
}

static std::string describeRemat(const Variant &variant) {
  std::string text = variant.recomputed.empty() ? "" : countActivations(variant.recomputed, "recomputed");
  if (variant.kept.empty())
    return text;
  return text + (text.empty() ? "" : "; ") + countActivations(variant.kept, "kept");
}

//===----------------------------------------------------------------------===//
// Padding
//===----------------------------------------------------------------------===//

/// Tiles and specs that are given name dims of arguments as the program has them.
static bool mayStore(const VariantProblem &problem) {
  const Schedule &schedule = *problem.source.schedule;
  auto isNameless = [](const Tactic &tactic) { return tactic.automatic || tactic.preset; };
  return problem.allowed.has(VariantKind::Store) && schedule.shardings.empty() &&
         llvm::all_of(schedule.tactics, isNameless);
}

static bool mayPad(const Schedule &schedule) {
  return hasAutomaticTactics(schedule) && schedule.mayPad && !schedule.padding &&
         !schedule::findPipelineTactic(schedule);
}

/// What could be gained by padding, the most first.
static void collectPadding(const SearchedProgram &on, ProbeHistory &history) {
  history.mayStore |= mayStore(on.problem);
  std::vector<PaddingCandidate> candidates = listPadding(*on.program.flattened, *on.program.analysis, on.problem.mesh);
  const Price *price = candidates.empty() ? nullptr : on.getPrice();
  if (!price)
    return;
  boundGains(*price, on.program.analysis->get(), candidates);
  const VariantOutcome &first = history.probed.front().outcome;
  history.padding = choosePadding(candidates, first.cost.timePs, first.fits());
  namePadding(on.program.analysis->get(), history.padding);
}

static bool hasPadding(const ProbeHistory &history) { return !history.padding.empty(); }

static void addPadding(const Variant &variant, const ProbeHistory &history, Schedule &schedule) {
  if (variant.padded.empty())
    return;
  schedule.padding = PadTactic{"pad", {}, history.mayStore};
  for (const PaddingCandidate &candidate : history.padding)
    if (llvm::is_contained(variant.padded, candidate.name))
      for (const NamedDim &named : candidate.dims)
        for (Pattern &pattern : makePatterns(named.cellName))
          schedule.padding->entries.push_back({std::move(pattern), named.dim, candidate.multiple, {}});
}

/// `vocabulary 50257 -> 50264, heads 12 -> 16 padded`.
static std::string describePadding(const Variant &variant) {
  return variant.padded.empty() ? "" : llvm::join(variant.padded, ", ") + " padded";
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static bool mayReorder(const Schedule &schedule) {
  return hasAutomaticTactics(schedule) && !schedule.reorder && !schedule::findPipelineTactic(schedule);
}

static void collectReorder(const SearchedProgram &on, ProbeHistory &history) {
  mlir::ModuleOp module = on.program.rewritten ? *on.program.rewritten : on.problem.module;
  history.reorder = chooseReorder(module, *on.program.flattened, on.problem.mesh, on.problem.flatten);
  history.mayStore |= mayStore(on.problem);
}

static bool hasReorder(const ProbeHistory &history) { return !history.reorder.empty(); }

static void addReorder(const Variant &variant, const ProbeHistory &history, Schedule &schedule) {
  if (variant.isReordered)
    schedule.reorder = ReorderTactic{"reorder", history.reorder, history.mayStore};
}

static std::string describeReorder(const Variant &variant) { return variant.isReordered ? "reordered" : ""; }

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

static bool mayPipeline(const Schedule &schedule) {
  bool isCountKnown = !schedule.temporal || !schedule.temporal->isAutomatic();
  return hasAutomaticTactics(schedule) && isCountKnown && !schedule.padding && !schedule.reorder &&
         !schedule::findPipelineTactic(schedule);
}

/// How often the layers run in a loop around them, each time on a part of the batch.
static int64_t countTurns(const SearchedProgram &on) {
  if (const std::optional<TemporalTactic> &temporal = on.problem.source.schedule->temporal)
    return std::max<int64_t>(1, temporal->count);
  RegionId loop = findOwnAccumulation(on.program.analysis->get());
  return loop.isValid() ? on.program.flattened->graph.regions[loop].trips : 1;
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

/// Whether the idle time of a pipeline may be shorter than what a step loses otherwise.
static bool hasPipelines(const ProbeHistory &history) {
  return chooseNextPipeline(history.pipelines, {}, history.splitComputePs, history.probed.front().outcome.cost.timePs)
      .has_value();
}

/// Layers of straight code; none in a flat program without a module.
static int64_t countStraightLayers(const SearchedProgram &on) {
  mlir::ModuleOp module = on.program.rewritten ? *on.program.rewritten : on.problem.module;
  return module ? countUnrolledLayers(module.lookupSymbol<mlir::func::FuncOp>("main"), *on.program.flattened) : 0;
}

static void collectPipelines(const SearchedProgram &on, ProbeHistory &history) {
  const Graph &graph = on.program.flattened->graph;
  Result<int64_t> rows = countRows(graph, TemporalTactic{"pipeline", "micro", automaticMicrobatches});
  int64_t stepped = countSteppedLayers(graph);
  bool isStraight = stepped == 0 && on.program.analysis->get().getFolding().isFolded();
  int64_t most = isStraight ? std::numeric_limits<int64_t>::max() : stepped;
  // Those of a turn; of what has turns already in a dim of its own, these may be too few.
  int64_t turns = countTurns(on), ownRows = rows && *rows % turns == 0 ? *rows / turns : 0;
  std::vector<PipelineAxis> axes = listPipelines(most, on.problem.mesh, ownRows);
  if (axes.empty())
    return;
  const Price *price = on.getPrice();
  if (!price)
    return;
  history.splitComputePs = computeSplitPs(*price);
  history.pipelines = std::move(axes);
  // To find layers in straight code takes a while: only where a pipeline may pay.
  if (isStraight && hasPipelines(history))
    history.pipelines = listPipelines(countStraightLayers(on), on.problem.mesh, ownRows);
}

static void addPipeline(const Variant &variant, const ProbeHistory &history, Schedule &schedule) {
  if (!variant.pipeline)
    return;
  Tactic tactic;
  tactic.name = "pipeline";
  tactic.axis = variant.pipeline->axis;
  tactic.pipeline = PipelineTactic{{}, variant.pipeline->microbatches, variant.pipeline->repeats};
  for (const PipelineAxis &axis : history.pipelines)
    if (axis.axis == tactic.axis)
      tactic.pipeline->stages = axis.stages;
  schedule.tactics.insert(schedule.tactics.begin(), std::move(tactic));
}

static std::string describePipeline(const Variant &variant) {
  if (!variant.pipeline)
    return "";
  int64_t repeats = variant.pipeline->repeats;
  return "pipeline over " + variant.pipeline->axis + " in " + std::to_string(variant.pipeline->microbatches) +
         " microbatches" + (repeats > 1 ? ", " + std::to_string(repeats) + " times around" : "");
}

//===----------------------------------------------------------------------===//

static constexpr VariantRule variantRules[] = {
    {VariantKind::Accumulate, "microbatches", /*isGlance=*/true, /*isApart=*/false, mayAccumulate, nullptr,
     mayTradeMemory, prepareCounts, proposeCount, addMicrobatches, describeMicrobatches},
    {VariantKind::Recompute, "recomputation", /*isGlance=*/false, /*isApart=*/false, mayRecompute, collectClasses,
     mayTradeMemory, prepareClasses, proposeRemat, addRemat, describeRemat},
    {VariantKind::Pad, "padding", /*isGlance=*/false, /*isApart=*/false, mayPad, collectPadding, hasPadding, nullptr,
     proposePadding, addPadding, describePadding},
    {VariantKind::Reorder, "order", /*isGlance=*/false, /*isApart=*/false, mayReorder, collectReorder, hasReorder,
     nullptr, proposeReorder, addReorder, describeReorder},
    {VariantKind::Pipeline, "pipeline", /*isGlance=*/false, /*isApart=*/true, mayPipeline, collectPipelines,
     hasPipelines, nullptr, proposePipeline, addPipeline, describePipeline},
};

llvm::ArrayRef<VariantRule> getVariantRules() { return variantRules; }

std::string describe(const Variant &variant) {
  std::string text;
  for (const VariantRule &rule : variantRules)
    if (std::string part = rule.describe(variant); !part.empty())
      text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "the program as it is" : text;
}

} // namespace partita::variants
