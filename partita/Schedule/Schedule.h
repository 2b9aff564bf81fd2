//===- Schedule.h - the tactics that a user wrote -------------------------===//
//
//   {"tactics": [
//     {"name": "BP", "axis": "data", "tile": [["batch/.*", 0]]},
//     {"name": "Z2", "axis": "data", "atomic": ["state/params/.*"],
//      "tile": [["state/opt_state/.*", "first_divisible"]], "optional": true}]}
//
// A tile may list dims, [".*/w2", [1, 0]]: the first of them that can be split.
// `cut` lists patterns as `atomic` does; `side` lists pattern and dim as `tile`
// does, and chooses between the sides of a conflict without tiling anything;
// `assign` lists pattern and factor: the ops that define the values take it, and
// nothing spreads; `group` lists pattern and patterns of users, which share
// reshards of the value. A
// tactic {"auto": {"goals": ["fit", "time"]}, "axes": ["model"]} is left to a search.
// Everything knows where it stands in the file.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_SCHEDULE_H
#define PARTITA_SCHEDULE_SCHEDULE_H

#include "partita/Schedule/Pattern.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

/// What an action does; in the order in which a tactic does them.
enum class ActionKind : uint8_t { Atomic, Cut, Side, Assign, Tile, Group };

inline constexpr ActionKind actionKinds[] = {ActionKind::Atomic, ActionKind::Cut,  ActionKind::Side,
                                             ActionKind::Assign, ActionKind::Tile, ActionKind::Group};

/// `atomic`, `cut`, `side`, `assign`, `tile`, `group`: the word in files.
llvm::StringRef getWord(ActionKind kind);

/// An entry of a list of actions.
struct ScheduleEntry {
  ActionKind kind = ActionKind::Tile;
  Pattern pattern;
  /// Of tiles and sides the dim, none for `first_divisible`; of `assign` the factor.
  std::optional<uint32_t> dim;
  SourceLocation location;
  /// Of `group`: results of the ops that use the value.
  std::vector<Pattern> uses = {};
  /// Of tiles: dims to try in this order where `dim` cannot be split.
  std::vector<uint32_t> otherDims = {};
};

/// What an automatic tactic leaves to a search.
struct AutomaticTactic {
  /// In order; empty: whatever the search is asked for otherwise.
  std::vector<std::string> goals;
  /// Axes that may be used; empty: all.
  std::vector<std::string> axes;
  bool operator==(const AutomaticTactic &) const = default;
};

struct Tactic {
  /// Unlike all others of the schedule.
  std::string name;
  std::string axis;
  SourceLocation axisLocation;
  /// Sorted by kind, and as the file has them within each.
  std::vector<ScheduleEntry> entries;
  /// What cannot apply is reported, not an error.
  bool isOptional = false;
  /// Of tactics that a search is to fill in: these have no axis and no entries.
  std::optional<AutomaticTactic> automatic;
  SourceLocation location;
};

struct Schedule {
  std::vector<Tactic> tactics;
};

/// Reads a schedule from the object that has `tactics`.
Result<Schedule> readSchedule(const JsonValue &json, llvm::StringRef file);

/// Reads a schedule, or the schedule of a plan.json: all of that is optional, because the program or the mesh may be
/// another by now.
Result<Schedule> readSchedule(llvm::StringRef text, llvm::StringRef file);

/// Writes what `readSchedule` reads.
void writeSchedule(const Schedule &schedule, llvm::json::OStream &json);

} // namespace partita::schedule

#endif
