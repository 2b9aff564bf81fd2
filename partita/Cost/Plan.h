//===- Plan.h - a partitioning of a program, built once -------------------===//
//
// What a user or a search decided, and what follows from it: the schedule, the
// actions that hold, the assignment that they lead to, and the reshards between
// definitions and uses. Prices (Price.h), the timeline, the local program and
// all reports are made from this value.
//
//   Result<PlanPtr> plan = applyPlan(program, mesh, schedule, {}, clock);
//   PricePtr price = pricePlan(**plan, {machine, placement, options});
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PLAN_H
#define PARTITA_COST_PLAN_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"
#include "partita/Schedule/PlanFile.h"
#include "partita/Support/StageClock.h"

#include <memory>

namespace partita::cost {

/// The program that plans are of. Plans refer to it, and its parts to the graph.
struct PlannedProgram {
  explicit PlannedProgram(const Graph &graph) : graph(graph), names(graph), topology(graph) {}
  PlannedProgram(const PlannedProgram &) = delete;

  const Graph &graph;
  CellNames names;
  Topology topology;
};

/// Const once it is built. Parts refer to each other, so a plan stays where it was made (PlanPtr).
struct Plan {
  Plan(const PlannedProgram &program, Axes &&given)
      : program(program), axes(std::move(given)), assignment(program.topology, axes), planner(axes) {}
  Plan(const Plan &) = delete;

  const PlannedProgram &program;
  Axes axes;
  /// Without automatic tactics; absent from a plan file that was made without one.
  std::optional<Schedule> schedule;
  /// What each tactic did, the actions that hold, and what nothing decided.
  ScheduleOutcome outcome;
  Assignment assignment;
  /// The steps of each reshard, by its ReshardPlanId.
  ReshardPlanner planner;
  Reshards reshards;
  /// Collectives that stand in the program itself, under any plan.
  std::vector<ExistingCollective> existing;

  const Graph &getGraph() const { return program.graph; }
  const Mesh &getMesh() const { return axes.mesh; }
  /// The name of the tactic that took this step of the assignment; nothing if none did.
  std::optional<llvm::StringRef> findTactic(uint32_t step) const;
  /// The name of the tactic that a reshard follows from: that of the op it stands at, or of the value's definition, on
  /// an axis that it moves. Empty if none is known.
  llvm::StringRef findTactic(const Reshard &reshard) const;
  /// The same decisions and the same reshards, whatever schedule led to them.
  bool operator==(const Plan &other) const;
};

using PlanPtr = std::unique_ptr<const Plan>;

/// Applies a schedule without automatic tactics.
Result<PlanPtr> applyPlan(const PlannedProgram &program, const Mesh &mesh, Schedule schedule,
                          std::vector<ExistingCollective> existing, StageClock &clock,
                          AfterTactic afterTactic = nullptr);

/// Replays a plan file; an error if it is of another program.
Result<PlanPtr> replayPlan(const PlannedProgram &program, const Mesh &mesh, PlanFile file,
                           std::vector<ExistingCollective> existing, StageClock &clock,
                           AfterTactic afterTactic = nullptr);

/// Adds the collectives that the assignment has so far to a tactic's report: an AfterTactic.
void addCollectives(const Assignment &assignment, TacticReport &report);

} // namespace partita::cost

#endif
