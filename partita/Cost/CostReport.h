//===- CostReport.h - what an assignment costs, and why -------------------===//
//
// Everything that `partita score` says of an assignment, as values: ids and
// integers, no text that is not in the program. It adds up to the Cost of an
// evaluation, and to the collectives that lowering emits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTREPORT_H
#define PARTITA_COST_COSTREPORT_H

#include "partita/Cost/Evaluation.h"

namespace partita {

/// Collectives of one kind over the same axes. Everything counts as often as it runs.
struct CollectiveLine {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<AxisId, 2> axes;
  int64_t count = 0;
  int64_t payloadBytes = 0;
  /// What one device sends in the priced form.
  int64_t wireBytes = 0;
  int64_t timePs = 0;
};

/// Why a reshard stands there.
enum class ReshardCause : uint8_t {
  /// Partial sums are combined.
  Reduce,
  /// What the definition gives is brought to the form of its cell.
  Define,
  /// A use needs another form.
  Use,
};

/// `reduce`.
llvm::StringRef getName(ReshardCause cause);

struct ReshardLine {
  CellId cell;
  /// The op that it stands behind or before; invalid behind arguments, loops and branches.
  OpId op;
  /// The first op that wants its result.
  OpId firstUser;
  /// Its forms and steps.
  ReshardPlanId plan;
  ReshardCause cause = ReshardCause::Use;
  /// Of the decisions that it follows from, the last: says which tactic it belongs to.
  uint32_t step = 0;
  Phase phase = Phase::Forward;
  int64_t count = 0;
  int64_t payloadBytes = 0, wireBytes = 0;
  int64_t timePs = 0, exposedPs = 0;
  bool isOverlapped = false;
};

enum class MemoryCategory : uint8_t {
  Parameters,
  OptimizerState,
  Arguments,
  Activations,
  Gradients,
  GatheredParameters,
  ReshardBuffers,
  Other,
};
inline constexpr size_t numMemoryCategories = 8;

/// `optimizer_state`.
llvm::StringRef getName(MemoryCategory category);

struct MemoryLine {
  CellId cell;
  bool isTransferred = false;
  int64_t bytes = 0;
  MemoryCategory category = MemoryCategory::Other;
};

struct MemoryReport {
  int64_t argumentBytes = 0, resultBytes = 0;
  /// Results that are made in the buffers of donated arguments.
  int64_t aliasedBytes = 0;
  /// What the peak has beside arguments: inner values, buffers, results that are no aliases.
  int64_t temporaryBytes = 0;
  int64_t peakBytes = 0;
  /// Largest first; all of it, so that it adds up to the peak.
  std::vector<MemoryLine> atPeak;
  std::array<int64_t, numMemoryCategories> categoryBytes = {};
};

/// Use of one interconnect level.
struct LevelLine {
  uint32_t level = 0;
  /// What one device sends over it.
  int64_t bytes = 0;
  /// Time of collectives that use it.
  int64_t busyPs = 0;
};

struct ReplicatedLine {
  CellId cell;
  int64_t bytes = 0;
  /// `pinned whole`, `no dim divides`, `nothing splits it`.
  llvm::StringRef reason;
};

/// Ops of unknown price.
struct UnpricedLine {
  NameId kind;
  int64_t count = 0;
};

struct CostReport {
  Cost cost;
  int64_t limitBytes = 0;
  bool fits = false;
  /// Of all devices, executed once for each step; of the machine's peak, the share that is reached.
  int64_t flops = 0;
  int64_t mfuPpm = 0;
  /// Loops whose trips were assumed.
  bool hasAssumedTrips = false;
  /// By kind and axes; those of countCollectives.
  std::vector<CollectiveLine> collectives;
  /// In program order.
  std::vector<ReshardLine> reshards;
  MemoryReport memory;
  std::vector<LevelLine> levels;
  /// For each axis, the share of the flops of contractions that it splits, in millionths.
  IdVector<AxisId, int64_t> splitFlopsPpm;
  /// Arguments, carried values and op results of at least `replicatedBytes` that are whole on all devices, largest
  /// first.
  std::vector<ReplicatedLine> replicated;
  std::vector<UnpricedLine> unpriced;
};

/// Smaller values are not listed as replicated.
inline constexpr int64_t replicatedBytes = int64_t(1) << 20;

CostReport buildCostReport(const CostModel &model, const Assignment &assignment, ReshardPlanner &planner);

} // namespace partita

#endif
