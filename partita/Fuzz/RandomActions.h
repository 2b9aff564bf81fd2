//===- RandomActions.h - random meshes and schedules ----------------------===//

#ifndef PARTITA_FUZZ_RANDOMACTIONS_H
#define PARTITA_FUZZ_RANDOMACTIONS_H

#include "partita/Fuzz/RandomChoice.h"
#include "partita/Fuzz/Rooms.h"
#include "partita/Graph/Graph.h"
#include "partita/Machine/Mesh.h"
#include "partita/Schedule/Schedule.h"

namespace partita::fuzz {

/// 1 to `mostDevices` devices along one to three axes, now and then one of size 1.
Mesh drawMesh(RandomChoice &random, int64_t mostDevices);

/// An entry of a tactic, on one cell.
struct DrawnEntry {
  ActionKind kind = ActionKind::Tile;
  std::string cell;
  /// Of `assign` the factor.
  uint32_t dim = 0;
  /// Of a group.
  std::vector<std::string> users = {};
};

/// A tactic as it is drawn and shrunk; see Schedule.h.
struct DrawnTactic {
  std::string axis;
  std::vector<DrawnEntry> entries;
};

/// Tactics of all actions on arguments, results and inner values. Most can apply.
std::vector<DrawnTactic> drawTactics(RandomChoice &random, const Mesh &mesh, const Graph &graph);

/// The schedule of these tactics. All are optional: what cannot apply is left out.
Result<Schedule> buildSchedule(llvm::ArrayRef<DrawnTactic> tactics);

/// The schedule as a file has it.
std::string printSchedule(const Schedule &schedule);

} // namespace partita::fuzz

#endif
