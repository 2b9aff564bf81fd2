//===- Tactics.h - from a schedule to an assignment -----------------------===//
//
// What stands in the program comes first: axes of its own shardings are tiles,
// by priority; closed dims take nothing else; replicated axes are atomic. Then
// each tactic: its atomics and cuts, factors of single ops, then one step for each tile entry, each
// matched cell in order and each part of the axis, major to minor. All tiles and
// sides of a tactic choose between the sides of conflicts from its first step on.
// Cuts end with their tactic. Earlier tactics win and nothing is undone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_TACTICS_H
#define PARTITA_SCHEDULE_TACTICS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/TacticReport.h"

namespace partita::schedule {

/// One thing done to one cell: what a plan replays.
struct Action {
  ActionKind kind = ActionKind::Tile;
  CellId cell;
  /// Of tiles and sides; of `assign` the factor.
  uint32_t dim = 0;
  std::string axis;
  /// Cuts and choices belong to all tiles of their tactic.
  std::string tactic;
  /// A tile of which only the cell was asked for: it chooses between the sides of a conflict from its own step on.
  bool isFirstDivisible = false;
  /// Where a file has it, for errors.
  SourceLocation location;
  /// Of a group: what the ops define that use the value.
  std::vector<CellId> users = {};
};

struct ScheduleOutcome {
  /// One for each tactic; the program's own shardings, if it has any, are the first.
  std::vector<TacticReport> reports;
  /// All actions that hold, but those that stand in the program.
  std::vector<Action> actions;
  /// What nothing has decided, in the order of the steps.
  std::vector<Conflict> conflicts;
  /// For each step of the assignment, the number of its tactic in `reports`.
  std::vector<uint32_t> stepTactics;
};

/// Called when a tactic is done, with its report, to add what others know of the assignment.
using AfterTactic = llvm::function_ref<void(const Assignment &assignment, TacticReport &report)>;

/// Applies the program's own shardings and then `schedule` to an empty assignment. After an error the assignment is as
/// it was.
Result<ScheduleOutcome> applySchedule(const Schedule &schedule, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic);

/// Applies the program's own shardings and then `actions`: neighbours of one tactic together, and of those without one
/// up to each tile. What `applySchedule` gave replays to an equivalent assignment.
Result<ScheduleOutcome> replayActions(llvm::ArrayRef<Action> actions, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic);

/// The parts of axes that a schedule or actions name, for `refineAxes`.
std::vector<std::string> collectAxes(const Schedule &schedule);
std::vector<std::string> collectAxes(llvm::ArrayRef<Action> actions);

} // namespace partita::schedule

#endif
