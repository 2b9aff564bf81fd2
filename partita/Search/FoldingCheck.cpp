//===- FoldingCheck.cpp - prices of the folded and the whole program ------===//

#include "partita/Search/FoldingCheck.h"

#include "partita/Search/MoveSimulator.h"
#include "partita/Simulate/PlanTimeline.h"
#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

static Moves drawMoves(uint64_t number, size_t numMoves) {
  Moves moves;
  for (uint64_t i = 0, size = 1 + mixHash(number) % 6; i < size; ++i)
    moves.push_back(MoveId(static_cast<uint32_t>(mixHash(mixHash(number) ^ (i + 1)) % numMoves)));
  return moves;
}

/// Compares timelines of the folded and of the whole program.
static void compareTimelines(std::optional<int64_t> folded, const CostModel &whole, const Assignment &assignment,
                             ReshardPlanner &planner, FoldingCheck &found) {
  if (!folded) {
    ++found.numWithoutTimeline;
    return;
  }
  Reshards reshards = buildReshards(assignment, planner);
  PlanTimes times = computePlanTimes(CostTracker(whole, assignment, planner), reshards);
  int64_t wholePs = std::max<int64_t>(1, simulatePlan({whole, times, reshards, planner, {}, {}}).totalPs);
  auto ppm = static_cast<int64_t>(static_cast<__int128>(std::abs(*folded - wholePs)) * wholePpm / wholePs);
  found.worstTimelinePpm = std::max(found.worstTimelinePpm, ppm);
}

Result<FoldingCheck> checkFolding(const PlanRequest &request, int64_t numLists) {
  Result<std::unique_ptr<PreparedSearch>> prepared = prepareSearch(request);
  if (!prepared)
    return prepared.error();
  const PreparedSearch &search = **prepared;
  PlanWalker walker(search.space.getProblem());
  MoveSimulator simulator(search, walker);
  const Topology &whole = request.analysis.getTopology();
  LiveTimes wholeTimes(whole);
  CostModel wholeModel(whole, request.axes, request.machine, request.placement, request.cost, wholeTimes);
  CellNames wholeNames(whole.getGraph());
  ReshardPlanner planner(request.axes);
  FoldingCheck found{whole.getGraph().ops.size(), search.program.getGraph().ops.size(), 0, 0, "", {}, {}};
  for (uint64_t number = 0; number < uint64_t(numLists) && !search.table.moves.empty(); ++number) {
    Moves moves = drawMoves(number, search.table.moves.size());
    walker.evaluate(moves);
    Cost cost = walker.getCost();
    Schedule schedule = request.given;
    llvm::append_range(schedule.tactics, search.tactics.build(moves));
    Assignment assignment(whole, request.axes);
    Result<ScheduleOutcome> outcome = applySchedule(schedule, wholeNames, assignment, nullptr);
    if (!outcome)
      return outcome.error();
    Cost wholeCost = evaluateCost(wholeModel, assignment, planner);
    ++found.numLists;
    compareTimelines(simulator.computePs(moves), wholeModel, assignment, planner, found);
    if (cost == wholeCost || found.numDifferent++ > 0)
      continue;
    for (MoveId move : moves)
      found.words += (found.words.empty() ? "" : "; ") + search.tactics.describe(move);
    found.folded = cost;
    found.whole = wholeCost;
  }
  return found;
}

} // namespace partita::search
