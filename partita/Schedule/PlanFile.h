//===- PlanFile.h - reads and writes plan.json ----------------------------===//
//
//   {"partita_plan": 1, "program": {"sha256", "name"}, "platform": null, "mesh": "data=4,model=2", "machine": null,
//    "schedule": {...} or null, "reductions": [...] (CollectivePrograms.h; only if there are any),
//    "matmul": [...] (PiecedCollectives.h; only if there are any),
//    "rotate": [...] (RotatedCollectives.h; only if there are any),
//    "actions": [{"tile": ["batch", 0, "data"], "tactic": "BP"},
//                {"tile": ["state.mu['w']", 0, "data"], "tactic": "Z2", "first_divisible": true}, ...],
//    "arguments": [{"name", "type", "sharding": [["data"], []]}, ...], "results": [...], "cost": null}
//
// What is stored in another order has an "order", too: [dim, size of each part].
//
// A plan belongs to one program and one mesh: replaying its actions gives the
// same assignment. For another program it is refused, and the error says what
// differs.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PLANFILE_H
#define PARTITA_SCHEDULE_PLANFILE_H

#include "partita/Schedule/PiecedCollectives.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/RotatedCollectives.h"
#include "partita/Schedule/Tactics.h"

namespace partita::schedule {

/// What a plan file says of the plan's price.
struct RecordedPrice {
  int64_t timePs = 0, peakBytes = 0, limitBytes = 0;
  /// A lower bound of the time of all plans. Its search is not repeated when the plan is replayed.
  int64_t lowerBoundPs = 0;
};

/// The content of a plan file, before it is replayed.
struct PlanFile {
  std::string programName, programSha256;
  Mesh mesh;
  /// The machine and placement for which the plan was priced; empty if it was not priced.
  std::string machine, placement;
  std::optional<RecordedPrice> price;
  /// The schedule that the plan was made with, if any.
  std::optional<Schedule> schedule;
  /// Their cells are not set yet; `actionNames` has the name of the cell for each.
  std::vector<Action> actions;
  std::vector<std::string> actionNames;
  /// For each action, if it is a group: the names of the results of the users.
  std::vector<std::vector<std::string>> actionUsers;
  /// Collectives that run in several steps.
  std::vector<CollectiveProgram> reductions;
  struct Value {
    std::string name, type;
    SourceLocation location;
  };
  std::vector<Value> arguments, results;
  SourceLocation location;
  /// Gathers and scatters that run in pieces, beside products.
  std::vector<PiecedCollective> pieced;
  /// Gathers of loops that are made an iteration ahead.
  std::vector<RotatedCollective> rotated;
};

/// `file` is used in errors only.
Result<PlanFile> readPlan(const JsonValue &json, llvm::StringRef file);
Result<PlanFile> readPlan(llvm::StringRef text, llvm::StringRef file);

/// Checks that the plan belongs to this program; the error says what differs.
Status verifyPlanProgram(const PlanFile &plan, const Graph &graph, const CellNames &names);

/// The plan's actions with their cells. An unknown name is an error.
Result<std::vector<Action>> findActions(const PlanFile &plan, const CellNames &names);

/// The machine for which a plan was priced, and a function that writes the members of its cost.
struct PlanCost {
  std::string machine, placement;
  /// For each device of the mesh, its number in the machine; empty if the numbers are equal.
  std::vector<int64_t> deviceOrder;
  llvm::function_ref<void(llvm::json::OStream &json)> write;
};

/// An argument or a result that is stored in another order between steps (partita/Reorder): what is dim `dim` in the
/// program has these parts, and each of several devices has a piece of each of them.
struct StoredOrder {
  bool isResult = false;
  uint32_t number = 0, dim = 0;
  std::vector<int64_t> parts;

  bool operator==(const StoredOrder &) const = default;
};

/// What a plan file says of a plan; `schedule` and `cost` may be null.
struct WrittenPlan {
  const Schedule *schedule;
  const ScheduleOutcome &outcome;
  const Assignment &assignment;
  const CellNames &names;
  llvm::ArrayRef<CollectiveProgram> reductions;
  const PlanCost *cost;
  llvm::ArrayRef<StoredOrder> orders = {};
  llvm::ArrayRef<PiecedCollective> pieced = {};
  llvm::ArrayRef<RotatedCollective> rotated = {};
};

void writePlan(const WrittenPlan &plan, llvm::raw_ostream &out);

} // namespace partita::schedule

#endif
