//===- Plan.h - a partitioning of a program, built once -------------------===//
//
// What a user or a search decided, and what follows from it: the schedule, the
// actions in effect, the assignment that they lead to, and the reshards between
// definitions and uses. Prices (Price.h), the timeline, the local program and
// all reports are built from this value.
//
//   Result<PlanPtr> plan = buildPlan(program, mesh, schedule, {}, clock);
//   PricePtr price = pricePlan(**plan, {machine, placement, options});
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_PLAN_H
#define PARTITA_COST_PLAN_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Cost/LoopRotation.h"
#include "partita/Cost/ProductPieces.h"
#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"
#include "partita/Schedule/PlanFile.h"
#include "partita/Support/StageClock.h"

#include <memory>

namespace partita::cost {

/// The program that plans partition. Plans refer to it, and its members refer to the graph.
struct PlannedProgram {
  explicit PlannedProgram(const Graph &graph) : graph(graph), names(graph), topology(graph) {}
  PlannedProgram(const PlannedProgram &) = delete;

  const Graph &graph;
  CellNames names;
  Topology topology;
};

/// Const once it is built. Its members refer to each other, so a plan is never moved (PlanPtr).
struct Plan {
  Plan(const PlannedProgram &program, Axes &&given)
      : program(program), axes(std::move(given)), assignment(program.topology, axes), planner(axes) {}
  Plan(const Plan &) = delete;

  const PlannedProgram &program;
  Axes axes;
  /// Without automatic tactics. Absent if the plan comes from a plan file that has none.
  std::optional<Schedule> schedule;
  /// What each tactic did, the actions in effect, and what no tactic decided.
  ScheduleOutcome outcome;
  Assignment assignment;
  /// The steps of each reshard, by its ReshardPlanId.
  ReshardPlanner planner;
  Reshards reshards;
  /// Collectives that run in several steps; the planner has them.
  std::vector<CollectiveProgram> reductions;
  /// Collectives of the program itself, the same under any plan.
  std::vector<ExistingCollective> existing;
  /// Gathers and scatters that run in pieces beside products: by name, and what follows from it.
  std::vector<PiecedCollective> pieced;
  ProductPieces pieces;
  /// Gathers of loops that are made an iteration ahead, and reductions that are made one later: by name, and the
  /// reshards.
  std::vector<RotatedCollective> rotatedNames;
  std::set<ReshardId> rotated;

  const Graph &getGraph() const { return program.graph; }
  /// Whether some collectives run otherwise than one by one, where they stand.
  bool hasMovedCollectives() const { return !pieces.empty() || !rotated.empty(); }
  const Mesh &getMesh() const { return axes.mesh; }
  /// The name of the tactic that made this step of the assignment; nullopt if none did.
  std::optional<llvm::StringRef> findTactic(uint32_t step) const;
  /// The name of the tactic that causes a reshard: the one that decided, on an axis that the reshard moves, about the
  /// op at the reshard or about the value's definition. Empty if none is known.
  llvm::StringRef findTactic(const Reshard &reshard) const;
  /// Compares decisions and reshards, not the schedule that led to them.
  bool operator==(const Plan &other) const;
};

using PlanPtr = std::unique_ptr<const Plan>;

/// Applies a schedule that has no automatic tactics.
Result<PlanPtr> buildPlan(const PlannedProgram &program, const Mesh &mesh, Schedule schedule,
                          std::vector<ExistingCollective> existing, StageClock &clock,
                          AfterTactic afterTactic = nullptr);

/// Replays a plan file. An error if it belongs to another program.
Result<PlanPtr> replayPlan(const PlannedProgram &program, const Mesh &mesh, PlanFile file,
                           std::vector<ExistingCollective> existing, StageClock &clock,
                           AfterTactic afterTactic = nullptr);

/// The same decisions without reductions, with nothing in pieces and nothing rotated.
PlanPtr buildWithoutReductions(const Plan &plan);
/// The same decisions with other gathers and scatters in pieces. An error if the plan has no such.
Result<PlanPtr> buildWithPieces(const Plan &plan, std::vector<PiecedCollective> pieced);
/// The same decisions with other collectives rotated. An error if the plan has no such.
Result<PlanPtr> buildRotated(const Plan &plan, std::vector<RotatedCollective> rotated);

/// An AfterTactic: adds the collectives under the assignment so far to a tactic's report.
void addCollectives(const Assignment &assignment, TacticReport &report);

} // namespace partita::cost

#endif
