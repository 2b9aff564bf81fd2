//===- Tactics.h - applies schedules and replays actions ------------------===//
//
// The shardings that are given with the program come first (ProgramTactic.cpp).
// Then each tactic in order: its atomics and cuts, the factors of single ops, and one step for
// each tile entry, each matched cell and each part of the axis, major to minor.
// All tiles and sides of a tactic choose sides of conflicts from the tactic's
// first step on. Cuts end with their tactic. Earlier tactics win, and nothing is
// undone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_TACTICS_H
#define PARTITA_SCHEDULE_TACTICS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/TacticReport.h"

namespace partita::schedule {

/// One action on one cell. A plan is a list of these, and can be replayed.
struct Action {
  ActionKind kind = ActionKind::Tile;
  CellId cell;
  /// For tiles and sides the dim; for `assign` the factor.
  uint32_t dim = 0;
  std::string axis;
  /// Its name. Cuts and choices apply to all tiles of their tactic.
  std::string tactic;
  /// Set for tiles whose dim the user did not choose: they choose sides of conflicts only from their own step on.
  bool isFirstDivisible = false;
  /// In a file, for errors.
  SourceLocation location;
  /// For a group: the results of the ops that use the value.
  std::vector<CellId> users = {};
};

struct ScheduleOutcome {
  /// One for each tactic; the first is for the given shardings, if there are any.
  std::vector<TacticReport> reports;
  /// All actions that were applied, except the given shardings.
  std::vector<Action> actions;
  /// Undecided conflicts, in the order of the steps.
  std::vector<Conflict> conflicts;
  /// For each step of the assignment, the number of its tactic in `reports`.
  std::vector<uint32_t> stepTactics;
};

/// Called after each tactic; may add to its report what other rooms know, such as collectives and costs.
using AfterTactic = llvm::function_ref<void(const Assignment &assignment, TacticReport &report)>;

/// Applies the given shardings and then `schedule` to an empty assignment. After an error the assignment is
/// unchanged.
Result<ScheduleOutcome> applySchedule(const Schedule &schedule, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic);

/// Applies the given shardings and then `actions`. Consecutive actions of one tactic are applied together;
/// actions without a tactic are grouped up to each tile. Replaying the actions of `applySchedule` gives an equivalent
/// assignment.
Result<ScheduleOutcome> replayActions(llvm::ArrayRef<Action> actions, const CellNames &names, Assignment &assignment,
                                      AfterTactic afterTactic);

/// The parts of axes that a schedule or actions name, for `refineAxes`.
std::vector<std::string> collectAxes(const Schedule &schedule);
std::vector<std::string> collectAxes(llvm::ArrayRef<Action> actions);

} // namespace partita::schedule

#endif
