//===- VariantProgram.cpp - a program as it is planned --------------------===//

#include "partita/Variants/VariantProgram.h"

#include "partita/Lower/FindCollectives.h"
#include "partita/Padding/UnevenTiles.h"
#include "partita/Schedule/Presets.h"

namespace partita::variants {

/// Expands presets and builds the analysis.
static Result<VariantProgram> addAnalysis(VariantProgram program, Flattened flattened, PlanSource source) {
  program.flattened = std::make_unique<Flattened>(std::move(flattened));
  Result<PlanSource> expanded = expandPresets(std::move(source), program.flattened->graph);
  if (!expanded)
    return expanded.error();
  program.source = std::move(*expanded);
  if (program.rewrites.padding)
    redirectTiles(program.source, program.flattened->graph);
  program.analysis = std::make_unique<const LazyAnalysis>(program.flattened->graph);
  return program;
}

Result<VariantProgram> prepareVariant(mlir::ModuleOp module, PlanSource source, const FlattenOptions &options) {
  Result<PreparedProgram> prepared = pipeline::prepareProgram(module, source, options);
  if (!prepared)
    return prepared.error();
  if (source.schedule && source.schedule->temporal && source.schedule->temporal->isAutomatic())
    source.schedule->temporal.reset();
  VariantProgram program;
  program.rewritten = std::move(prepared->rewritten);
  program.rewrites = std::move(prepared->rewrites);
  return addAnalysis(std::move(program), std::move(prepared->flattened), std::move(source));
}

Status padUnevenDims(mlir::ModuleOp module, const Mesh &mesh, const FlattenOptions &options, PlanSource &given,
                     VariantProgram &program) {
  const Tactic *staged = pipeline::findPipelineTactic(given);
  if (!module || !given.schedule || !given.schedule->mayPad || (staged && staged->pipeline->stages != 1))
    return std::nullopt;
  std::vector<PadEntry> uneven = findUnevenTiles(program.flattened->graph, program.source, mesh);
  if (uneven.empty())
    return std::nullopt;
  if (!given.schedule->padding)
    given.schedule->padding = PadTactic{"pad", {}};
  llvm::append_range(given.schedule->padding->entries, uneven);
  std::string sha256 = program.flattened->graph.programSha256;
  Result<VariantProgram> padded = prepareVariant(module, given, options);
  if (!padded)
    return padded.error();
  program = std::move(*padded);
  program.flattened->graph.programSha256 = std::move(sha256);
  return std::nullopt;
}

Result<VariantProgram> prepareGraph(Graph graph, PlanSource source) {
  if (Status wrong = refuseRewrites(source))
    return std::move(*wrong);
  Flattened flattened;
  flattened.graph = std::move(graph);
  return addAnalysis({}, std::move(flattened), std::move(source));
}

Result<std::vector<std::string>> bindMesh(VariantProgram &program, const Mesh &mesh, int64_t assumedTrips) {
  Graph &graph = program.flattened->graph;
  Result<std::vector<std::string>> warnings = bindPartitionRules(getShardings(program.source), mesh, graph);
  if (!warnings)
    return warnings;
  program.program = std::make_unique<const PlannedProgram>(graph);
  Result<std::vector<ExistingCollective>> existing = findExistingCollectives(*program.flattened, mesh, assumedTrips);
  if (!existing)
    return existing.error();
  program.existing = std::move(*existing);
  return warnings;
}

} // namespace partita::variants
