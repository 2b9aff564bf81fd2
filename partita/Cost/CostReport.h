//===- CostReport.h - where the time and memory of an assignment go -------===//
//
// What `partita score` and report.json show of an assignment, as values: ids
// and integers, no text except names that are in the program. The lines add up
// to the Cost of an evaluation, and to the collectives that lowering emits.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTREPORT_H
#define PARTITA_COST_COSTREPORT_H

#include "partita/Cost/CostTracker.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

class PiecePrices;

/// Collectives of one kind over the same axes. Each counts as often as it runs.
struct CollectiveLine {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<AxisId, 2> axes;
  int64_t count = 0;
  int64_t payloadBytes = 0;
  /// What one device sends in the priced algorithm.
  int64_t wireBytes = 0;
  int64_t timePs = 0;
};

struct ReshardLine {
  CellId cell;
  /// The op that it follows or precedes; invalid after arguments, loops and branches.
  OpId op;
  /// The first op that uses its result.
  OpId firstUser;
  /// Its shardings and steps.
  ReshardPlanId plan;
  Phase phase = Phase::Forward;
  int64_t count = 0;
  int64_t payloadBytes = 0, wireBytes = 0;
  int64_t timePs = 0;
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

/// `optimizer_state`.
llvm::StringRef getName(MemoryCategory category);

struct MemoryLine {
  CellId cell;
  bool isResharded = false;
  int64_t bytes = 0;
  MemoryCategory category = MemoryCategory::Other;
};

struct MemoryReport {
  int64_t argumentBytes = 0, resultBytes = 0;
  /// Results that are written into the buffers of donated arguments.
  int64_t aliasedBytes = 0;
  /// The peak without arguments: inner values, buffers, results that alias no argument.
  int64_t temporaryBytes = 0;
  int64_t peakBytes = 0;
  /// Everything that is alive at the peak, largest first; adds up to the peak.
  std::vector<MemoryLine> atPeak;
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

/// Multiplications and additions of all contractions of a step, on all devices together.
struct FlopCount {
  int64_t total = 0;
  /// Their time on one device at the peak rate of their element types.
  double idealSeconds = 0;
  /// The peak rate of the type that most of them have.
  int64_t peakFlopsPerSecond = 0;

  /// The share of the peak that a step of this time reaches; 0 if the peak is not known.
  double computeMfu(int64_t numDevices, int64_t timePs) const;
  /// A lower bound of the time of a step.
  int64_t computeIdealPs(int64_t numDevices) const;
};

struct CostReport {
  Cost cost;
  int64_t limitBytes = 0;
  FlopCount flops;
  /// The number of loops with an unknown trip count, priced with CostOptions::assumedTrips.
  int64_t assumedLoops = 0;
  /// By kind and axes, as in countCollectives.
  std::vector<CollectiveLine> collectives;
  /// The part of their time that the cost counts as its ops' own: what ops exchange by themselves.
  int64_t exchangePs = 0;
  /// In program order.
  std::vector<ReshardLine> reshards;
  /// For each reshard of the plan, its number in `reshards`, or noReshard.
  IdVector<ReshardId, uint32_t> reshardLines;
  MemoryReport memory;
  std::vector<LevelLine> levels;
  /// For each axis, the share of the flops of contractions that it splits, in millionths.
  IdVector<AxisId, int64_t> splitFlopsPpm;
  /// Arguments, carried values and op results of at least `replicatedBytes` that are whole on all devices, largest
  /// first.
  std::vector<ReplicatedLine> replicated;

  /// Null if there is none.
  const ReshardLine *findReshard(ReshardId id) const {
    return reshardLines[id] == noReshard ? nullptr : &reshards[reshardLines[id]];
  }
  bool fits() const { return cost.peakBytes <= limitBytes; }
};

/// Smaller values are not listed as replicated.
inline constexpr int64_t replicatedBytes = int64_t(1) << 20;

/// `reshards` are those of the assignment, by the same planner; `pieces`, if not null, the prices of those in pieces.
CostReport buildCostReport(const CostModel &model, const Assignment &assignment, const Reshards &reshards,
                           ReshardPlanner &planner, const PiecePrices *pieces = nullptr);

} // namespace partita::cost

#endif
