//===- Planning.h - from a program and a schedule to an assignment --------===//
//
// What `partita plan`, `verify` and `score` have in common: the graph, its
// axes, names and topology, and the assignment that a schedule or a plan leads
// to. Parts refer to each other, so a Planning stays where it was made.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_PLANNING_H
#define PARTITA_DRIVER_PLANNING_H

#include "partita/Driver/OwnCollectives.h"
#include "partita/Driver/Pipeline.h"
#include "partita/Driver/Searching.h"
#include "partita/Propagate/Plan.h"

namespace partita {

struct Planning {
  explicit Planning(Flattened &&given) : flattened(std::move(given)), names(flattened.graph) {}
  Planning(const Planning &) = delete;

  Flattened flattened;
  CellNames names;
  std::optional<Schedule> schedule;
  Axes axes;
  std::optional<Topology> topology;
  std::optional<Assignment> assignment;
  ScheduleOutcome outcome;
  /// Collectives that stand in the program itself.
  std::vector<OwnCollective> own;
  /// Of a plan that is replayed: the machine it was made for, and its placement there.
  std::string planMachine, planPlacement;
  /// What searches found, if there were any; the schedule has their tactics.
  std::vector<FoundTactics> found;
  /// If the shape of the mesh was searched for, too: all shapes, that of this mesh first.
  std::vector<MeshTrial> meshes;

  const Graph &getGraph() const { return flattened.graph; }
};

/// Applies `--schedule` or replays `--plan` on `--mesh`. `module` is in normal form.
Result<std::unique_ptr<Planning>> makePlanning(mlir::ModuleOp module, const Options &options, StageClock &clock,
                                               AfterTactic afterTactic = nullptr);

/// The same for a flat program without the program it came from.
Result<std::unique_ptr<Planning>> makePlanning(Graph graph, const Options &options, StageClock &clock);

/// sha256 of the normal form without locations, in hexadecimal.
std::string hashProgram(mlir::ModuleOp module);

/// plan.json. `module` is the one that was planned: its hash is computed only here, for it costs as much as printing.
std::string printPlan(Planning &planning, mlir::ModuleOp module, const PlanCost *cost = nullptr);

/// The assignment (Propagate/AssignmentJson.h).
std::string printAssignment(const Planning &planning);

/// What each tactic did: text, or a JSON object with `mesh` and `tactics`.
std::string printTactics(const Planning &planning, bool asJson);

} // namespace partita

#endif
