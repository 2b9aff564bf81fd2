//===- PlanSpace.cpp - the space of partitionings -------------------------===//

#include "partita/Search/PlanSpace.h"

#include <cmath>

namespace partita {

/// Applies what stands before the search; gives the number of the next step.
static uint32_t applyGiven(const PlanProblem &problem, Assignment &assignment) {
  Result<ScheduleOutcome> outcome = applySchedule(problem.given, problem.names, assignment, nullptr);
  assert(outcome && "tactics before the search were applied before");
  return outcome ? static_cast<uint32_t>(outcome->stepTactics.size()) : 0;
}

PlanWalker::PlanWalker(const PlanProblem &problem)
    : problem(problem), assignment(problem.model.getTopology(), problem.model.getAxes()),
      firstStep(applyGiven(problem, assignment)), runner(assignment, problem.table, problem.steppedDims, firstStep),
      planner(problem.model.getAxes()), tracker(problem.model, assignment, planner) {}

void PlanWalker::push(MoveId move) {
  Level level{move, runner.mark(), tracker.mark(), false};
  level.isEffective = runner.run(problem.table.moves[move]);
  if (level.isEffective)
    tracker.update();
  levels.push_back(level);
}

void PlanWalker::pop() {
  runner.rollback(levels.back().runner);
  tracker.rollback(levels.back().tracker);
  levels.pop_back();
}

Evaluated PlanWalker::evaluate(llvm::ArrayRef<MoveId> moves) {
  size_t common = 0;
  while (common < moves.size() && common < levels.size() && levels[common].move == moves[common])
    ++common;
  while (levels.size() > common)
    pop();
  for (MoveId move : moves.drop_front(common))
    push(move);
  Evaluated evaluated;
  evaluated.rating = computeRating(problem.goals, tracker.getCost(), problem.model.getMemoryLimit());
  evaluated.state = runner.getKey();
  for (size_t i = 0; i < levels.size(); ++i)
    evaluated.effective |= uint64_t(levels[i].isEffective) << i;
  return evaluated;
}

PlanSpace::PlanSpace(const PlanProblem &given) : problem(given) {
  PlanWalker walker(problem);
  startRating = walker.evaluate({}).rating;
  startCost = walker.getCost();
}

/// The share of the start's figure that is saved, in the lower half while a goal that can be met is not.
double PlanSpace::getReward(const Rating &rating) const {
  double limit = double(std::max<int64_t>(1, problem.model.getMemoryLimit()));
  for (size_t i = 0; i < problem.goals.size(); ++i) {
    double part = double(rating.parts[i]);
    if (problem.goals[i] == Goal::Fit) {
      if (part > 0)
        return 0.5 * limit / (limit + part);
      continue;
    }
    double start = double(std::max<int64_t>(1, startRating.parts[i]));
    return 0.5 + 0.5 * start / (start + part);
  }
  return 1;
}

double PlanSpace::getBlend(const Rating &rating, double weight) const {
  double limit = double(std::max<int64_t>(1, problem.model.getMemoryLimit())), blend = 0;
  for (size_t i = 0; i < problem.goals.size(); ++i) {
    if (problem.goals[i] != Goal::Fit)
      return blend + std::log(double(std::max<int64_t>(1, rating.parts[i])));
    blend += weight * std::log1p(double(rating.parts[i]) / limit);
  }
  return blend;
}

} // namespace partita
