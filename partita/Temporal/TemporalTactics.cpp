//===- TemporalTactics.cpp - applies the tactics that rewrite the program -===//

#include "partita/Temporal/TemporalTactics.h"

#include "partita/Remat/GivenCones.h"
#include "partita/Schedule/Presets.h"
#include "partita/Temporal/ScatteredSums.h"

#include <numeric>

namespace partita::temporal {

const TemporalTactic *findTemporalTactic(const PlanSource &source) {
  const std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule && schedule->temporal ? &*schedule->temporal : nullptr;
}

/// `--accumulate`: a number, or `auto`.
static Result<int64_t> parseCount(llvm::StringRef text) {
  if (text == "auto")
    return automaticMicrobatches;
  int64_t count = 0;
  if (text.getAsInteger(10, count) || count < 1 || count > maxMicrobatches)
    return Error::usage("--accumulate '" + text.str() + "' is not a number of microbatches")
        .withRemedy("give a number from 1 to " + std::to_string(maxMicrobatches) +
                    ", or auto, which chooses it with the plan");
  return count;
}

Result<PlanSource> addTemporalTactic(PlanSource source, llvm::StringRef text) {
  if (text.empty())
    return source;
  Result<int64_t> count = parseCount(text);
  if (!count)
    return count.error();
  if (source.plan || source.schedule->temporal)
    return Error::usage("--accumulate excludes --plan and a schedule with a temporal tactic")
        .withRemedy("give the number of microbatches in one place");
  source.schedule->temporal = TemporalTactic{"accumulate", "micro", *count};
  return source;
}

Status refuseRewrites(const PlanSource &source) {
  const TemporalTactic *temporal = findTemporalTactic(source);
  const RematTactic *remat = findRematTactic(source);
  if (const PadTactic *padding = findPadTactic(source))
    return Error::unsupported(padding->location, "a flat program cannot be padded")
        .withRemedy("give the program itself to partita plan");
  if (const ReorderTactic *reorder = findReorderTactic(source))
    return Error::unsupported(reorder->location, "dims of a flat program cannot be put into another order")
        .withRemedy("give the program itself to partita plan");
  if (!temporal && !remat)
    return std::nullopt;
  return Error::unsupported(temporal ? temporal->location : remat->location,
                            temporal ? "a flat program cannot be rewritten into microbatches"
                                     : "what a flat program recomputes cannot be changed")
      .withRemedy("give the program itself to partita plan");
}

/// Tiles of the arguments that look like a batch, as the preset `data_parallel` finds them.
static Result<std::vector<ScheduleEntry>> findBatch(const TemporalTactic &tactic, const Topology &topology,
                                                    const CellNames &names) {
  Schedule schedule;
  Tactic &batch = schedule.tactics.emplace_back();
  batch.axis = tactic.axis;
  batch.location = tactic.location;
  batch.preset.emplace();
  Result<Schedule> expanded = expandPresets(std::move(schedule), topology, names);
  if (!expanded)
    return Error::badInput(tactic.location, "no argument looks like a batch, which microbatches are cut from")
        .withRemedy("name it: \"tile\": [[\"batch/.*\", 0]]");
  return std::move(expanded->tactics.front().entries);
}

/// Why the cell cannot be cut along the dim; empty if it can.
static std::string findFault(const Graph &graph, CellId cell, uint32_t dim, int64_t count) {
  if (dim >= graph.cells[cell].rank)
    return "has no dim " + std::to_string(dim);
  int64_t size = graph.getShape(cell)[dim];
  if (size % count != 0)
    return "has " + std::to_string(size) + " rows, which are not " + std::to_string(count) + " equal microbatches";
  return "";
}

/// `isGiven`: whether the tactic itself names what is cut.
static Status addRoots(const ScheduleEntry &entry, const CellNames &names, const Graph &graph, bool isGiven,
                       AccumulateRequest &request) {
  std::vector<CellId> cells = names.match(entry.pattern);
  if (cells.empty())
    return Error::badInput(entry.location, "the pattern '" + entry.pattern.getText() + "' matches no value");
  for (CellId cell : cells) {
    uint32_t dim = entry.dim.value_or(0);
    if (std::string fault = findFault(graph, cell, dim, request.count); !fault.empty())
      return Error::badInput(entry.location, "'" + names.getName(cell) + "' " + fault)
          .withRemedy(isGiven ? "choose a number of microbatches that divides the batch"
                              : "choose a number of microbatches that divides it or, if it is not the batch, name what "
                                "is: \"tile\": [[\"batch/.*\", 0]]");
    request.roots.push_back({cell, dim});
  }
  return std::nullopt;
}

static Result<AccumulateRequest> makeRequest(const Graph &graph, const TemporalTactic &tactic) {
  CellNames names(graph);
  Result<std::vector<ScheduleEntry>> tiles =
      tactic.tiles.empty() ? findBatch(tactic, Topology(graph), names) : tactic.tiles;
  if (!tiles)
    return tiles.error();
  AccumulateRequest request{tactic.count, {}, tactic.inSingle, tactic.passes};
  for (const ScheduleEntry &tile : *tiles)
    if (Status wrong = addRoots(tile, names, graph, !tactic.tiles.empty(), request))
      return std::move(*wrong);
  return request;
}

Result<std::vector<Root>> findRoots(const Graph &graph, const TemporalTactic &tactic) {
  Result<AccumulateRequest> request = makeRequest(graph, tactic);
  return request ? Result<std::vector<Root>>(std::move(request->roots)) : request.error();
}

Result<int64_t> countRows(const Graph &graph, const TemporalTactic &tactic) {
  TemporalTactic whole = tactic;
  whole.count = 1;
  Result<AccumulateRequest> request = makeRequest(graph, whole);
  if (!request)
    return request.error();
  int64_t rows = 0;
  for (const Root &root : request->roots)
    rows = std::gcd(rows, graph.getShape(root.cell)[root.dim]);
  return rows;
}

Result<Accumulated> applyTemporalTactic(mlir::ModuleOp module, const TemporalTactic &tactic,
                                        const FlattenOptions &options) {
  Result<Flattened> flattened = flatten(module, options);
  if (!flattened)
    return flattened.error();
  Result<AccumulateRequest> request = makeRequest(flattened->graph, tactic);
  if (!request)
    return request.error();
  return accumulate(module, *flattened, *request);
}

void dropCutBoundaries(Graph &graph, const Accumulated &accumulated) {
  for (auto [number, dim] : accumulated.cutArguments)
    llvm::erase_if(graph.boundaries, [&, cell = graph.arguments[number], dim = dim](const SplitBoundary &boundary) {
      return boundary.cell == cell && boundary.dim == dim && boundary.stride == accumulated.count;
    });
}

/// The last microbatch leaves the last stage when all groups before it have gone around.
int64_t Pipelined::countTicks() const {
  int64_t groups = (microbatches + stages - 1) / stages, rest = (microbatches - 1) % stages;
  return ((groups - 1) * repeats + repeats - 1) * stages + rest + stages;
}

Result<PreparedProgram> prepareProgram(mlir::ModuleOp module, PlanSource &source, const FlattenOptions &options) {
  PreparedProgram prepared;
  const RematTactic *remat = findRematTactic(source);
  const TemporalTactic *tactic = findTemporalTactic(source);
  bool isCut = tactic && tactic->count > 1;
  const PadTactic *padding = findPadTactic(source);
  const ReorderTactic *reorder = findReorderTactic(source);
  bool isFenced = hasBarrier(module);
  if (remat || isCut || padding || reorder || isFenced)
    prepared.rewritten = module.clone();
  if (remat) {
    Result<RematReport> report = applyRematTactic(*prepared.rewritten, *remat, options);
    if (!report)
      return report.error();
    prepared.rewrites.remat = std::move(*report);
  }
  if (isFenced)
    if (Status wrong = fenceGivenCones(*prepared.rewritten, options))
      return std::move(*wrong);
  if (isCut) {
    Result<Accumulated> report = applyTemporalTactic(*prepared.rewritten, *tactic, options);
    if (!report)
      return report.error();
    prepared.rewrites.accumulated = std::move(*report);
  }
  if (padding) {
    Result<PaddingReport> report = applyPadTactic(*prepared.rewritten, *padding, options);
    if (!report)
      return report.error();
    prepared.rewrites.padding = std::move(*report);
  }
  if (reorder) {
    Result<ReorderReport> report = applyReorderTactic(*prepared.rewritten, *reorder, options);
    if (!report)
      return report.error();
    prepared.rewrites.reordered = std::move(*report);
  }
  Result<Flattened> flattened = flatten(prepared.rewritten ? *prepared.rewritten : module, options);
  if (!flattened)
    return flattened.error();
  prepared.flattened = std::move(*flattened);
  if (prepared.rewrites.accumulated)
    dropCutBoundaries(prepared.flattened.graph, *prepared.rewrites.accumulated);
  if (isCut && source.schedule)
    addScatterTactic(*source.schedule, prepared.flattened.graph);
  return prepared;
}

} // namespace partita::temporal
