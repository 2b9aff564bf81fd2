//===- Explanation.h - why values are split as they are -------------------===//
//
// Who decided how a value lies on the devices, what is moved because of it, and
// what the plan would cost if it lay otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_EXPLANATION_H
#define PARTITA_REPORT_EXPLANATION_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"

namespace partita::report {

/// What some axes, or some parts of one, do to a value, and why.
struct AxisReason {
  std::vector<std::string> axes;
  /// The dim that they split; none if the value is whole over them.
  std::optional<uint32_t> dim;
  std::string reason;
};

/// What the plan would cost more, or less, if a tactic before all others said this of the value.
struct OtherChoice {
  std::string axis;
  /// None: whole over the axis.
  std::optional<uint32_t> dim;
  int64_t timePs = 0, peakBytes = 0;
};

struct ValueExplanation {
  std::string name, type, sharding, loc;
  std::vector<AxisReason> axes;
  /// What tactics did to this very value: `tile 1 model`, and the tactic.
  std::vector<std::pair<std::string, std::string>> actions;
  /// Of the value, and of what the op takes that gives it.
  std::vector<ScoreReshard> reshards;
  /// Absent where there is no machine, and where there are many values.
  std::optional<std::vector<OtherChoice>> others;
};

/// More values than this are explained without what others would cost: each price takes as long as a plan.
constexpr size_t maxPricedValues = 8;

/// The values that each of `wanted` names, or that it matches as a pattern. One that is nothing is an error.
Result<std::vector<CellId>> findValues(const CellNames &names, llvm::ArrayRef<std::string> wanted);

/// With a price, reshards have their times, and alternatives theirs.
std::vector<ValueExplanation> explainValues(const Plan &plan, const Price *price, llvm::ArrayRef<CellId> cells);

std::string printExplanations(llvm::ArrayRef<ValueExplanation> values);
/// `{"values": [...]}`.
std::string printExplanationsJson(llvm::ArrayRef<ValueExplanation> values);

} // namespace partita::report

#endif
