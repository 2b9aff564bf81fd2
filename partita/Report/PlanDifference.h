//===- PlanDifference.h - where two plans differ, and what it costs -------===//
//
// Values are grouped as tactics' reports group them: alike in all but numbers
// in their names. A value's time in a plan is that of the op that computes it and
// of the reshards that move it, so the differences of all groups add up to the
// difference of compute and communication of the two plans.
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

/// Values that differ alike in how they are split or moved.
struct GroupDifference {
  std::string name, type;
  /// Of first and second: the sharding, and the reshards that stand on the value.
  std::string shardings[2], moves[2];
  /// Of the first of them.
  std::string loc;
  bool isArgument = false;
  int64_t count = 0;
  /// Second less first: compute, communication, bytes of the values on a device.
  int64_t computePs = 0, communicationPs = 0, bytes = 0;
};

/// Collectives of one kind over the same axes, of first and second.
struct CollectiveDifference {
  std::string kind, axes;
  int64_t count[2] = {}, bytes[2] = {}, timePs[2] = {};
};

struct PlanDifference {
  std::string first, second;
  /// Of first and second.
  int64_t timePs[2], computePs[2], communicationPs[2], exposedPs[2], peakBytes[2];
  /// By kind and axes; those that are alike, too.
  std::vector<CollectiveDifference> collectives;
  /// The most expensive first.
  std::vector<GroupDifference> groups;
  /// Values that are the same in both.
  int64_t numEqual = 0;
};

/// Both are plans of one program.
PlanDifference comparePlans(const ComparedPlan &first, const ComparedPlan &second);

std::string printDifference(const PlanDifference &difference);
std::string printDifferenceJson(const PlanDifference &difference);

} // namespace partita::report

#endif
