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

/// Of one execution of a segment.
struct SegmentSum {
  __int128 compute = 0, exposed = 0, overlapped = 0;
};

/// Of all executions of a segment.
struct SegmentCost {
  int64_t computePs = 0, communicationPs = 0, exposedPs = 0;
};

class CostSums {
public:
  explicit CostSums(const CostModel &model);

  void add(const UnitRecords &records, RecordId id) { change(records, id, 1); }
  void replace(const UnitRecords &records, RecordId old, RecordId next);
  void clear();

  Cost computeCost();
  /// How much of a segment's overlapped communication is not hidden, in one execution.
  int64_t computeUncovered(SegmentId segment) const;
  uint32_t findPeakPoint() { return profile.findPeakPoint(); }

private:
  void change(const UnitRecords &records, RecordId id, int sign);
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
