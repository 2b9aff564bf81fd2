//===- PlanFile.h - a plan as a file -------------------------------------===//
//
//   {"partita_plan": 1, "program": {"sha256", "name"}, "platform": null, "mesh": "data=4,model=2", "machine": null,
//    "schedule": {...} or null,
//    "actions": [{"tile": ["batch", 0, "data"], "tactic": "BP"},
//                {"tile": ["state.mu['w']", 0, "data"], "tactic": "Z2", "first_divisible": true}, ...],
//    "arguments": [{"name", "type", "sharding": [["data"], []]}, ...], "results": [...], "cost": null}
//
// A plan belongs to one program and one mesh: its actions are replayed, and give
// the same assignment. For another program it is refused with what differs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PLANFILE_H
#define PARTITA_SCHEDULE_PLANFILE_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Tactics.h"

namespace partita::schedule {

/// What a plan file says, before anything is replayed.
struct PlanFile {
  std::string programName, programSha256;
  Mesh mesh;
  /// What it was priced on, and which axis runs over which level there; empty if it was not.
  std::string machine, placement;
  /// What it was made with, if it was made with one.
  std::optional<Schedule> schedule;
  /// Cells are not looked up yet: names are in `actionNames`, one for each.
  std::vector<Action> actions;
  std::vector<std::string> actionNames;
  /// Of groups: the names of what the users define.
  std::vector<std::vector<std::string>> actionUsers;
  struct Value {
    std::string name, type;
    SourceLocation location;
  };
  std::vector<Value> arguments, results;
  SourceLocation location;
};

Result<PlanFile> readPlan(llvm::StringRef text, llvm::StringRef file);

/// Success if the plan is of this program; else what differs.
Status verifyPlanProgram(const PlanFile &plan, const Graph &graph, const CellNames &names);

/// Looks the cells of the plan's actions up. An action on a name that the program does not have is an error.
Result<std::vector<Action>> findActions(const PlanFile &plan, const CellNames &names);

/// What a plan was priced on, and a function that writes the members of its cost.
struct PlanCost {
  std::string machine, placement;
  /// For each device of the mesh its number in the machine; empty if they are numbered alike.
  std::vector<int64_t> deviceOrder;
  llvm::function_ref<void(llvm::json::OStream &json)> write;
};

/// Writes the plan that `outcome` led to. `schedule` and `cost` are null if there was none.
void writePlan(const Schedule *schedule, const ScheduleOutcome &outcome, const Assignment &assignment,
               const CellNames &names, const PlanCost *cost, llvm::raw_ostream &out);

} // namespace partita::schedule

#endif
