//===- PaddingTactics.h - applies the pad tactic of a schedule ------------===//

#ifndef PARTITA_PADDING_PADDINGTACTICS_H
#define PARTITA_PADDING_PADDINGTACTICS_H

#include "partita/Padding/PadProgram.h"
#include "partita/Schedule/PlanSource.h"

namespace partita::padding {

/// The pad tactic of a schedule or of a plan that is replayed; null if there is none.
const PadTactic *findPadTactic(const PlanSource &source);

/// Arguments and the results that are their next states; an argument is stored once. What has a given sharding keeps
/// the shape that the sharding is for.
std::vector<StoredState> findStates(const Graph &graph);

/// A dim that the tactic names.
struct PaddedDim {
  std::string name;
  uint32_t dim = 0;
  int64_t size = 0, paddedSize = 0;
};

/// What the tactic did.
struct PaddingReport {
  /// Dims that were padded together are named once.
  std::vector<PaddedDim> dims;
  /// State that is stored padded, with the sizes that it has without padding.
  struct Stored {
    StoredState state;
    std::vector<int64_t> shape;
  };
  std::vector<Stored> stored;
  PaddingCounts counts;
};

/// Rewrites `module`, which is in normal form, as the tactic says. Errors: a pattern that matches nothing, a dim that
/// does not exist. `elements` gets the values that are longer then.
Result<PaddingReport> applyPadTactic(mlir::ModuleOp module, const PadTactic &tactic, const FlattenOptions &options,
                                     PaddedElements *elements = nullptr);

} // namespace partita::padding

#endif
