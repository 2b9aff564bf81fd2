//===- VariantProgram.h - a program as it is planned ----------------------===//
//
//   prepareVariant ─▶ bindMesh ─▶ planned
//
// The program as it is given, or what memory actions make of it, with all that
// planning needs: the flat program, its analysis, the tactics that apply to it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VARIANTS_VARIANTPROGRAM_H
#define PARTITA_VARIANTS_VARIANTPROGRAM_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/Plan.h"
#include "partita/Pipeline/PipelineTactics.h"
#include "partita/Temporal/TemporalTactics.h"
#include "partita/Variants/Variant.h"

namespace partita::variants {

/// Its members refer to each other.
struct VariantProgram {
  /// Null if nothing rewrote the program.
  mlir::OwningOpRef<mlir::ModuleOp> rewritten;
  /// What was done to it.
  Rewrites rewrites;
  /// Presets are expanded; there may be tactics that belong to the rewritten program alone.
  PlanSource source;
  std::unique_ptr<Flattened> flattened;
  std::unique_ptr<const LazyAnalysis> analysis;
  /// From here on, once the mesh is known.
  std::unique_ptr<const PlannedProgram> program;
  std::vector<ExistingCollective> existing;
};

/// The program of `module`, which is in normal form, rewritten as the tactics of `source` say; an `auto` tactic leaves
/// it as it is.
Result<VariantProgram> prepareVariant(mlir::ModuleOp module, PlanSource source, const FlattenOptions &options);

/// Makes dims longer that tiles and specs split unevenly on this mesh: `program` is made anew then, and `given`, of
/// which it was made, gets the tactic.
Status padUnevenDims(mlir::ModuleOp module, const Mesh &mesh, const FlattenOptions &options, PlanSource &given,
                     VariantProgram &program);

/// As prepareVariant, for a flat program without its module.
Result<VariantProgram> prepareGraph(Graph graph, PlanSource source);

/// Gives the program the shardings that hold on this mesh, and finds its collectives. Loops with an unknown trip count
/// run `assumedTrips` times. Returns warnings.
Result<std::vector<std::string>> bindMesh(VariantProgram &program, const Mesh &mesh, int64_t assumedTrips);

} // namespace partita::variants

#endif
