//===- PlanDifference.h - where two plans differ, and what it costs -------===//
//
// Values are grouped as tactics' reports group them: alike in all but numbers
// in their names. A value's time in a plan is that of the op that computes it and
// of the transfers that move it, so the differences of all groups add up to the
// difference of compute and communication of the two plans.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_PLANDIFFERENCE_H
#define PARTITA_DRIVER_PLANDIFFERENCE_H

#include "partita/Driver/Scoring.h"

namespace partita {

/// One side of a comparison.
struct ComparedPlan {
  const Planning &planning;
  const Pricing &pricing;
  const Score &score;
};

/// Values whose shardings differ alike, or that are only moved differently.
struct GroupDifference {
  std::string name, type, before, after;
  int64_t count = 0;
  /// Second less first: compute, communication, bytes of the values on a device.
  int64_t computePs = 0, communicationPs = 0, bytes = 0;
};

struct PlanDifference {
  std::string first, second;
  /// Of first and second.
  int64_t timePs[2], computePs[2], communicationPs[2], exposedPs[2], peakBytes[2];
  /// The most expensive first.
  std::vector<GroupDifference> groups;
  /// Values that are the same in both.
  int64_t numEqual = 0;
};

/// Both are plans of one program.
PlanDifference comparePlans(const ComparedPlan &first, const ComparedPlan &second);

std::string printDifference(const PlanDifference &difference);
std::string printDifferenceJson(const PlanDifference &difference);

} // namespace partita

#endif
