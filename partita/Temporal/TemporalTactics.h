//===- TemporalTactics.h - applies the tactics that rewrite the program ---===//

#ifndef PARTITA_TEMPORAL_TEMPORALTACTICS_H
#define PARTITA_TEMPORAL_TEMPORALTACTICS_H

#include "partita/Padding/PaddingTactics.h"
#include "partita/Remat/RematTactics.h"
#include "partita/Reorder/ReorderTactics.h"
#include "partita/Schedule/PlanSource.h"
#include "partita/Temporal/Accumulate.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/OwningOpRef.h"

namespace partita::temporal {

/// `source` with `--accumulate` as its temporal tactic: a number of microbatches, `auto`, or nothing. An error if it
/// has one already.
Result<PlanSource> addTemporalTactic(PlanSource source, llvm::StringRef count);

/// The temporal tactic of a schedule or of a plan that is replayed; null if there is none.
const TemporalTactic *findTemporalTactic(const PlanSource &source);

/// An error if `source` has a tactic that rewrites the program: there is only a flat program.
Status refuseRewrites(const PlanSource &source);

/// What a pipeline tactic did (partita/Pipeline).
struct Pipelined {
  int64_t stages = 1, microbatches = 1;
  /// The blocks of layers that each stage has.
  int64_t repeats = 1;
  /// The iterations of each loop that became a pipeline.
  std::vector<int64_t> layers = {};
  /// Layers that were left over, and run outside of the pipeline; the most of any loop.
  int64_t peeled = 0;
  /// Of `layers`, those that do nothing: they fill the last stages; the most of any loop.
  int64_t idle = 0;
  /// The layers were no loops before (partita/Pipeline/RollLayers.h).
  bool isRolled = false;
  /// The part of the flops of contractions that is work of the program, in millionths: what stages compute without a
  /// microbatch, and layers that do nothing, is none.
  int64_t usefulFlopsPpm = 1'000'000;

  int64_t countTicks() const;
};

/// What tactics did to the program before it is planned, for reports.
struct Rewrites {
  std::optional<RematReport> remat;
  std::optional<Pipelined> pipelined;
  std::optional<Accumulated> accumulated;
  std::optional<PaddingReport> padding;
  std::optional<ReorderReport> reordered;
};

/// The rows of the batch, which numbers of microbatches divide: of the values that the tactic tiles, or of those that
/// look like a batch. If they differ, their greatest common divisor.
Result<int64_t> countRows(const Graph &graph, const TemporalTactic &tactic);

/// The dims of values that the tactic tiles, or of those that look like a batch.
Result<std::vector<Root>> findRoots(const Graph &graph, const TemporalTactic &tactic);

/// Rewrites `module`, which is in normal form, as the tactic says. Its number of microbatches is known.
Result<Accumulated> applyTemporalTactic(mlir::ModuleOp module, const TemporalTactic &tactic,
                                        const FlattenOptions &options);

/// Where the batch is cut into microbatches, axes that cross the cut split nothing: an axis that is larger than what it
/// leaves of the rows is not taken apart for it.
void dropCutBoundaries(Graph &graph, const Accumulated &accumulated);

/// The program that is planned.
struct PreparedProgram {
  /// Null if the program is planned as it is.
  mlir::OwningOpRef<mlir::ModuleOp> rewritten;
  Flattened flattened;
  Rewrites rewrites;
};

/// Flattens `module`, which is in normal form, or a copy of it that tactics of `source` rewrite: first the remat
/// tactic, so that names are those of the program as it was traced, then the temporal one, unless the number of its
/// microbatches is still to be chosen, then the pad tactic, then the reorder tactic. Behind the remat tactic, late
/// results are made to pass the barriers that the program has (GivenCones.h), with or without tactics. Without tiles
/// the temporal tactic cuts the batch that the program's structure shows. A schedule gets the tactic that scatters sums
/// (ScatteredSums.h).
Result<PreparedProgram> prepareProgram(mlir::ModuleOp module, PlanSource &source, const FlattenOptions &options);

} // namespace partita::temporal

#endif
