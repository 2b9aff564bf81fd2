//===- TacticSimulator.cpp - timelines of tactics on the whole program ----===//

#include "partita/Search/TacticSimulator.h"

#include "partita/Simulate/PlanTimeline.h"

namespace partita::search {

struct TacticSimulator::Model {
  explicit Model(const PlanRequest &request)
      : names(request.analysis.getGraph()), liveTimes(request.analysis.getTopology()),
        cost(request.analysis.getTopology(), request.axes, request.machine, request.placement, request.cost, liveTimes),
        planner(request.axes) {
    for (const ExistingCollective &collective : *request.existing)
      existingPrices.push_back(priceExistingCollective(cost, collective));
  }

  CellNames names;
  LiveTimes liveTimes;
  CostModel cost;
  ReshardPlanner planner;
  std::vector<CollectivePrice> existingPrices;
};

TacticSimulator::TacticSimulator(const PlanRequest &request) : request(request) {}
TacticSimulator::~TacticSimulator() = default;

std::optional<int64_t> TacticSimulator::computePs(llvm::ArrayRef<Tactic> tactics) {
  if (!model)
    model = std::make_unique<Model>(request);
  Schedule schedule = request.given;
  llvm::append_range(schedule.tactics, tactics);
  Assignment assignment(request.analysis.getTopology(), request.axes);
  if (!applySchedule(schedule, model->names, assignment, nullptr))
    return std::nullopt;
  Reshards reshards = buildReshards(assignment, model->planner);
  CostTracker tracker(model->cost, assignment, model->planner);
  PlanTimes times = computePlanTimes(tracker, reshards);
  return simulatePlan({model->cost, times, reshards, model->planner, *request.existing, model->existingPrices}).totalPs;
}

} // namespace partita::search
