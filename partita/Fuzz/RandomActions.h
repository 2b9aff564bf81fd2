//===- RandomActions.h - random meshes and schedules ----------------------===//
//
// A drawn schedule names cells by text, so that it survives when shrinking
// changes the program. `buildSchedule` turns it into a `Schedule` (Schedule
// room).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMACTIONS_H
#define PARTITA_FUZZ_RANDOMACTIONS_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Schedule/Schedule.h"

namespace partita::fuzz {

/// 1 to `mostDevices` devices along one to three axes, sometimes with an axis of size 1.
Mesh drawMesh(RandomChoice &random, int64_t mostDevices);

/// An entry of a tactic, on one cell.
struct DrawnEntry {
  ActionKind kind = ActionKind::Tile;
  std::string cell;
  /// The dim; for `assign`, the factor.
  uint32_t dim = 0;
  /// The users in a group.
  std::vector<std::string> users = {};
};

/// A tactic in the form that is drawn and shrunk; see Schedule.h.
struct DrawnTactic {
  std::string axis;
  std::vector<DrawnEntry> entries;
};

/// Tactics with all kinds of actions, on arguments, results and inner values. Most apply.
std::vector<DrawnTactic> drawTactics(RandomChoice &random, const Mesh &mesh, const Graph &graph);

/// The schedule of these tactics. All are optional: those that do not apply are skipped.
Result<Schedule> buildSchedule(llvm::ArrayRef<DrawnTactic> tactics);

/// The schedule as the text of a schedule file.
std::string printSchedule(const Schedule &schedule);

} // namespace partita::fuzz

#endif
