//===- CollectivePrograms.h - collectives in steps, as plans have them ----===//
//
// A plan may run collectives of a class (a kind, axes, sizes) as steps on parts
// of these axes (Machine/Reduce/Program.h). Schedules and plan files have them as
//
//   "reductions": [
//     {"collective": "all_reduce", "axes": ["data"], "bytes": [1048576, 268435456],
//      "steps": [["reduce_scatter", ["data:(4)8"]], ["all_reduce", ["data:(1)4"]],
//                ["all_gather", ["data:(4)8"]]]}]
//
// `bytes` are the least and the most that one of them has, as machines --price
// counts them; without it, all of these axes are meant. In a schedule,
// "reductions": "auto" leaves the choice to the tool.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_COLLECTIVEPROGRAMS_H
#define PARTITA_SCHEDULE_COLLECTIVEPROGRAMS_H

#include "partita/Machine/Reduce/Program.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

struct CollectiveProgram {
  /// all_reduce, reduce_scatter, all_gather or all_to_all.
  StepKind goal = StepKind::AllReduce;
  /// Names of axes or of parts of them, major to minor.
  std::vector<std::string> axes;
  int64_t leastBytes = 0, mostBytes = INT64_MAX;
  struct Step {
    StepKind kind = StepKind::AllReduce;
    std::vector<std::string> axes;
    bool operator==(const Step &) const = default;
  };
  std::vector<Step> steps;
  SourceLocation location = {};

  /// Whether both are the same, wherever they stand.
  bool isSame(const CollectiveProgram &other) const {
    return std::tie(goal, axes, leastBytes, mostBytes, steps) ==
           std::tie(other.goal, other.axes, other.leastBytes, other.mostBytes, other.steps);
  }
};

/// Reads the list. `file` is used in errors only.
Result<std::vector<CollectiveProgram>> readPrograms(const JsonValue &json, llvm::StringRef file);
/// Writes what `readPrograms` reads.
void writePrograms(llvm::ArrayRef<CollectiveProgram> programs, llvm::json::OStream &json);

/// The names of all axes and parts that programs have.
std::vector<std::string> collectAxes(llvm::ArrayRef<CollectiveProgram> programs);

/// `reduce_scatter over data:(4)8; all_reduce over data:(1)4; all_gather over data:(4)8`.
std::string printProgramSteps(const CollectiveProgram &program);

} // namespace partita::schedule

#endif
