//===- CostSums.h - from the prices of units to a cost --------------------===//
//
// Sums by segment, and bytes by point. Records are added and taken away in any
// order; the cost follows from the sums alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_COSTSUMS_H
#define PARTITA_COST_COSTSUMS_H

#include "partita/Cost/Evaluation.h"
#include "partita/Cost/PeakProfile.h"
#include "partita/Cost/UnitRecords.h"

namespace partita {

/// Of one execution of a segment, by kind.
struct SegmentSum {
  __int128 times[3] = {0, 0, 0};

  __int128 get(TimeKind kind) const { return times[static_cast<size_t>(kind)]; }
  bool operator==(const SegmentSum &) const = default;
};

/// Of all executions of a segment.
struct SegmentCost {
  int64_t computePs = 0, communicationPs = 0, exposedPs = 0;
};

class CostSums {
public:
  explicit CostSums(const CostModel &model);

  /// Of these records and no others.
  void assign(const UnitRecords &records, llvm::ArrayRef<RecordId> ids);
  void replace(const UnitRecords &records, RecordId old, RecordId next);

  Cost computeCost();
  /// How much of a segment's overlapped communication is not hidden, in one execution.
  int64_t computeUncovered(SegmentId segment) const;
  uint32_t findPeakPoint() { return profile.findPeakPoint(); }

private:
  void addTime(SegmentId segment, TimeKind kind, int64_t timePs);
  SegmentCost computeSegment(SegmentId segment) const;

  const CostModel &model;
  IdVector<SegmentId, SegmentSum> sums;
  IdVector<SegmentId, SegmentCost> costs;
  IdVector<SegmentId, uint8_t> dirty;
  std::vector<SegmentId> dirtySegments;
  __int128 compute = 0, communication = 0, exposed = 0;
  PeakProfile profile;
};

} // namespace partita

#endif
