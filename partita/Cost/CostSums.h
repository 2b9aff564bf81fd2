//===- CostSums.h - from the prices of units to a cost --------------------===//
//
// Keeps one sum of time for each segment and kind, and the bytes alive at each
// point. Price entries are added and removed in any order; the cost follows
// from the sums:
//
//   time = sum over segments of n ( C + X + max(0, O - r C) )
//
// with n executions of the segment (CostModel::getTimes), and for one execution
// its compute C, exposed communication X and overlapped communication O; r is
// the share CostOptions::overlapPpm. The peak of memory is the most bytes alive
// at a point.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTSUMS_H
#define PARTITA_COST_COSTSUMS_H

#include "partita/Cost/CostTracker.h"
#include "partita/Cost/PeakProfile.h"
#include "partita/Cost/PriceCache.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// Of all executions of a segment.
struct SegmentCost {
  int64_t computePs = 0, communicationPs = 0, exposedPs = 0;
};

class CostSums {
public:
  explicit CostSums(const CostModel &model);

  /// Makes these entries, and no others, the content.
  void assign(const PriceCache &cache, llvm::ArrayRef<PriceEntryId> ids);
  void replace(const PriceCache &cache, PriceEntryId old, PriceEntryId next);

  Cost computeCost();
  uint32_t findPeakPoint() { return profile.findPeakPoint(); }

private:
  void addTime(const SumTerm &term, int64_t timePs);
  /// Of one execution of a segment.
  __int128 getSum(SegmentId segment, TimeKind kind) const { return sums[SumTerm::getSum(segment, kind)]; }
  /// How much of a segment's overlapped communication is not hidden, in one execution.
  int64_t computeUncovered(SegmentId segment) const;
  SegmentCost computeSegment(SegmentId segment) const;

  const CostModel &model;
  /// SumTerm::getSum numbers them.
  std::vector<__int128> sums;
  IdVector<SegmentId, SegmentCost> costs;
  /// Whose costs are not those of their sums.
  IdSet<SegmentId> dirty;
  __int128 compute = 0, communication = 0, exposed = 0;
  PeakProfile profile;
};

} // namespace partita::cost

#endif
