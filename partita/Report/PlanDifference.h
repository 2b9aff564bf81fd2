//===- PlanDifference.h - where two plans differ, and what it costs -------===//
//
// Values are grouped as in the reports of tactics: names that differ only in
// numbers are one group. A value's time in a plan is that of the op that
// computes it and of the reshards that move it, so the differences of all
// groups add up to the difference of compute and communication of the two
// plans.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PLANDIFFERENCE_H
#define PARTITA_REPORT_PLANDIFFERENCE_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"

namespace partita::report {

/// One side of a comparison.
struct ComparedPlan {
  const Plan &plan;
  const Price &price;
  const Score &score;
};

/// Values with the same difference in shardings and reshards.
struct GroupDifference {
  std::string name, type;
  /// In the first and second plan: the sharding and the reshards of the value.
  std::string shardings[2], moves[2];
  /// The location of the first value.
  std::string loc;
  bool isArgument = false;
  int64_t count = 0;
  /// Second minus first: compute, communication, bytes of the values on a device.
  int64_t computePs = 0, communicationPs = 0, bytes = 0;
};

/// Collectives of one kind over the same axes, in the first and second plan.
struct CollectiveDifference {
  std::string kind, axes;
  int64_t count[2] = {}, bytes[2] = {}, timePs[2] = {};
};

struct PlanDifference {
  std::string first, second;
  /// In the first and second plan.
  int64_t timePs[2], computePs[2], communicationPs[2], exposedPs[2], peakBytes[2];
  /// By kind and axes, including those that are equal in both plans.
  std::vector<CollectiveDifference> collectives;
  /// The largest difference first.
  std::vector<GroupDifference> groups;
  /// Values that are the same in both.
  int64_t numEqual = 0;
};

/// Both must be plans of one program.
PlanDifference comparePlans(const ComparedPlan &first, const ComparedPlan &second);

std::string printDifference(const PlanDifference &difference);
std::string printDifferenceJson(const PlanDifference &difference);

} // namespace partita::report

#endif
