//===- PreparedSearch.cpp - a search problem built from a request ---------===//

#include "partita/Search/PreparedSearch.h"

#include "partita/Search/Proposals.h"
#include "partita/Search/UniformStart.h"

#include <unordered_map>

namespace partita::search {

/// Does not fold a program of which most would remain, nor one whose given tactics or shardings treat layers
/// differently.
static const FoldedProgram &chooseProgram(const PlanRequest &request) {
  const Analysis &analysis = request.analysis;
  if (request.search.noFold)
    return analysis.getUnfolded();
  const Folding &folding = analysis.getFolding();
  bool isSmaller = folding.graph.ops.size() * 4 <= analysis.getGraph().ops.size() * 3;
  bool isGiven = !request.given.tactics.empty() || !analysis.getGraph().shardings.empty();
  if (!isSmaller || (isGiven && !isUniformStart(analysis.getTopology(), folding, request.axes, request.given)))
    return analysis.getUnfolded();
  return analysis.getFolded();
}

/// Ops of one layer chain are of one kind, the number of the first of them; every other op is its own kind. If
/// remaining layers were decided differently from elided ones, the folded price would be wrong.
static IdVector<OpId, uint32_t> findOpKinds(const Folding &folding) {
  IdVector<OpId, uint32_t> kinds;
  std::unordered_map<uint32_t, uint32_t> firstOfChain;
  for (OpId op : idRange<OpId>(folding.graph.ops.size())) {
    bool isInChain = folding.isFolded() && folding.opPositions[op].isValid();
    kinds.push_back(isInChain ? firstOfChain.try_emplace(folding.opChains[op].begin, op.get()).first->second
                              : op.get());
  }
  return kinds;
}

static ProposalOptions makeProposalOptions(const PlanRequest &request, const Folding &folding) {
  ProposalOptions options;
  options.axes = request.searchedAxes;
  options.opKinds = findOpKinds(folding);
  return options;
}

PreparedSearch::PreparedSearch(const PlanRequest &request, const FoldedProgram &program, CellNames cellNames,
                               Assignment &base)
    : request(request), program(program), names(std::move(cellNames)),
      model(program.topology, request.axes, request.machine, request.placement, request.cost, program.liveTimes,
            program.folding.multiplicity),
      memory(program.topology, request.axes), table(buildMoves(program.groups, base, program.steppedDims,
                                                               makeProposalOptions(request, program.folding), &memory)),
      space(PlanProblem{model, names, request.given, table, program.steppedDims, request.goals, shared, memory}),
      tactics(request.analysis.getGraph(), program.wholeGroups, program.folding, table) {}

Result<std::unique_ptr<PreparedSearch>> prepareSearch(const PlanRequest &request) {
  const FoldedProgram &program = chooseProgram(request);
  CellNames names(program.getGraph());
  Assignment base(program.topology, request.axes);
  Result<ScheduleOutcome> outcome = applySchedule(request.given, names, base, nullptr);
  if (!outcome)
    return outcome.error();
  return std::make_unique<PreparedSearch>(request, program, std::move(names), base);
}

} // namespace partita::search
