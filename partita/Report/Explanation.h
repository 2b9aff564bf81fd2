//===- Explanation.h - why values are split as they are -------------------===//
//
// For each value: which tactic decided its sharding on each axis and why, the
// reshards that follow, and alternatives: the change of the plan's time and
// memory if the value were sharded otherwise. Used by `partita explain`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_EXPLANATION_H
#define PARTITA_REPORT_EXPLANATION_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"
#include "partita/Report/Score.h"

namespace partita::report {

/// How one or more axes or sub-axes shard a value, and why.
struct AxisReason {
  std::vector<std::string> axes;
  /// The dim that they split; nullopt if the value is replicated over them.
  std::optional<uint32_t> dim;
  std::string reason;
};

/// An alternative: its change of the plan's time and memory.
struct OtherChoice {
  std::string axis;
  /// Nullopt: replicated over the axis.
  std::optional<uint32_t> dim;
  /// The value's sharding then.
  std::string sharding;
  int64_t timePs = 0, peakBytes = 0;
};

/// Who is moved by a reshard that an explained value causes: itself, what a loop slices off it, its gradient, or an
/// operand of the op that computes it.
enum class Moved : uint8_t { Value, Slice, Gradient, Operand };

/// `value`, `slice`, `gradient`, `operand`.
llvm::StringRef getWord(Moved moved);

struct MovedValue {
  Moved moved = Moved::Value;
  ScoreReshard reshard;
};

struct ValueExplanation {
  std::string name, type, sharding, loc;
  /// Of the whole tensor, and of the piece on one device.
  int64_t bytes = 0, localBytes = 0;
  std::vector<AxisReason> axes;
  /// The actions on this value itself, such as `tile 1 model`, each with its tactic.
  std::vector<std::pair<std::string, std::string>> actions;
  std::vector<MovedValue> reshards;
  /// Alternatives. Absent without a machine, and if many values are explained.
  std::optional<std::vector<OtherChoice>> others;
};

/// More values than this are explained without alternatives: pricing one takes as long as a plan.
constexpr size_t maxPricedValues = 8;

/// The values that each of `wanted` names, or matches as a pattern. An error if one matches nothing.
Result<std::vector<CellId>> findValues(const CellNames &names, llvm::ArrayRef<std::string> wanted);

/// With a price, reshards and alternatives have times.
std::vector<ValueExplanation> explainValues(const Plan &plan, const Price *price, llvm::ArrayRef<CellId> cells);

/// `{"shardings": [["jit(f)/dot_general#3", [null, "model"]], ...], "tactics": []}`, one constraint a line.
std::string printConstraints(llvm::ArrayRef<PartitionRule> rules);

std::string printExplanations(llvm::ArrayRef<ValueExplanation> values);
/// `{"values": [...]}`.
std::string printExplanationsJson(llvm::ArrayRef<ValueExplanation> values);

} // namespace partita::report

#endif
