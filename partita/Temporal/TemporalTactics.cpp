//===- TemporalTactics.cpp - applies the temporal tactic of a schedule ----===//

#include "partita/Temporal/TemporalTactics.h"

#include "partita/Schedule/Presets.h"

namespace partita::temporal {

const TemporalTactic *findTemporalTactic(const PlanSource &source) {
  const std::optional<Schedule> &schedule = source.plan ? source.plan->schedule : source.schedule;
  return schedule && schedule->temporal ? &*schedule->temporal : nullptr;
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

static Status addRoots(const ScheduleEntry &entry, const CellNames &names, const Graph &graph,
                       AccumulateRequest &request) {
  std::vector<CellId> cells = names.match(entry.pattern);
  if (cells.empty())
    return Error::badInput(entry.location, "the pattern '" + entry.pattern.getText() + "' matches no value");
  for (CellId cell : cells) {
    uint32_t dim = entry.dim.value_or(0);
    if (std::string fault = findFault(graph, cell, dim, request.count); !fault.empty())
      return Error::badInput(entry.location, "'" + names.getName(cell) + "' " + fault)
          .withRemedy("choose a number of microbatches that divides the batch");
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
    if (Status wrong = addRoots(tile, names, graph, request))
      return std::move(*wrong);
  return request;
}

Result<AccumulatedProgram> accumulateProgram(mlir::ModuleOp module, const TemporalTactic &tactic,
                                             const FlattenOptions &options) {
  AccumulatedProgram made;
  if (tactic.count == 1)
    return made;
  made.module = module.clone();
  Result<Flattened> flattened = flatten(*made.module, options);
  if (!flattened)
    return flattened.error();
  Result<AccumulateRequest> request = makeRequest(flattened->graph, tactic);
  if (!request)
    return request.error();
  Result<Accumulated> report = accumulate(*made.module, *flattened, *request);
  if (!report)
    return report.error();
  made.report = std::move(*report);
  return made;
}

} // namespace partita::temporal
