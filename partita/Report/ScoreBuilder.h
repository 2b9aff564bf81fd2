//===- ScoreBuilder.h - from a plan and its price to a score --------------===//
//
// Replaces ids in a plan, its price and its timeline by names. Without a price,
// the score has only what the plan moves.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_SCOREBUILDER_H
#define PARTITA_REPORT_SCOREBUILDER_H

#include "partita/Cost/Price.h"
#include "partita/Program/Flatten.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"
#include "partita/Schedule/PlanFile.h"
#include "partita/Simulate/Timeline.h"

namespace partita::report {

/// Whether a program states the work of all devices together, or of each device, as a local program does.
enum class ProgramScope { AllDevices, OneDevice };

/// The price of a plan and its simulated timeline.
struct SimulatedPrice {
  const Price &price;
  const Timeline &timeline;
  /// A proven lower bound of the time of any plan; 0 if none is known.
  int64_t lowerBoundPs = 0;
  ProgramScope scope = ProgramScope::AllDevices;
  /// The part of the flops that is work of the program, in millionths (temporal::Pipelined).
  int64_t usefulFlopsPpm = wholePpm;
};

/// The score of a plan: what it moves and, if it is priced, what it costs.
Score buildScore(const Plan &plan, llvm::ArrayRef<UnknownOp> unknown, std::optional<SimulatedPrice> priced);

/// The bound in the file of a replayed plan, if a search found it for this price and time; nothing otherwise: a plan
/// that was not searched for has no more there than the time of the contractions at peak rate.
std::optional<int64_t> findRecordedBound(const RecordedPrice &recorded, const Price &price);

/// One entry for each reshard of the plan, in their order; with times if it is priced and simulated.
std::vector<ScoreReshard> describeReshards(const Plan &plan, const Price *price, const Timeline *timeline);

} // namespace partita::report

#endif
