//===- Decoding.cpp - the bound's relaxed plan as moves -------------------===//

#include "partita/Search/Decoding.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

namespace {

/// A decision of an op that a move makes when it is made alone.
struct MadeDecision {
  OpId op;
  AxisId axis;
  uint8_t factor;
};

/// A move that may be taken, and the decisions that it would add.
struct Candidate {
  MoveId move;
  std::vector<MadeDecision> decisions;
  /// How much the relaxed plan agrees with them, in picoseconds.
  double agreement = 0;
};

class Decoder {
public:
  Decoder(const PlanProblem &problem, const RelaxedPlan &plan)
      : problem(problem), plan(plan), assignment(problem.model.getTopology(), problem.model.getAxes()),
        runner(assignment, problem.table, problem.steppedDims, applyGiven(problem, assignment), &problem.memory) {}

  Moves run();

private:
  std::vector<MadeDecision> listDecisions(MoveId move);
  /// Drops decisions that are made by now, and computes the agreement with the others.
  void update(Candidate &candidate) const;

  const PlanProblem &problem;
  const RelaxedPlan &plan;
  Assignment assignment;
  MoveRunner runner;
};

} // namespace

/// Every move was made alone when the moves were built, so that most outcomes are in memory.
std::vector<MadeDecision> Decoder::listDecisions(MoveId move) {
  const Topology &topology = assignment.getTopology();
  std::vector<MadeDecision> decisions;
  auto add = [&](NodeId node, AxisId axis, uint8_t factor) {
    if (topology.isOp(node) && factor != sumFactor)
      decisions.push_back({topology.getOp(node), axis, factor});
  };
  if (const MoveOutcome *known = runner.findOutcome(move)) {
    for (const MoveChange &change : known->changes)
      if (change.kind == MoveChangeKind::Assign)
        add(NodeId(change.id), problem.table.moves[move].parts.front(), change.value);
    return decisions;
  }
  MoveRunner::Mark mark = runner.mark();
  runner.run(move);
  for (const Change &change : assignment.getChanges(mark.assignment))
    if (change.kind == ChangeKind::Assign)
      add(change.getNode(), change.getAxis(), assignment.getFactor(change.getNode(), change.getAxis()));
  runner.rollback(mark);
  return decisions;
}

/// To split what the relaxed plan leaves whole is half as wrong as to split another factor.
void Decoder::update(Candidate &candidate) const {
  llvm::erase_if(candidate.decisions, [&](const MadeDecision &decision) {
    NodeId node = assignment.getTopology().getNode(decision.op);
    return plan.factors[decision.op].empty() || plan.times[decision.op] == 0 ||
           assignment.getFactor(node, decision.axis) != noFactor;
  });
  candidate.agreement = 0;
  for (const MadeDecision &decision : candidate.decisions) {
    uint8_t wanted = plan.factors[decision.op][decision.axis.get()];
    double share = wanted == decision.factor ? 1 : wanted == noFactor || wanted == sumFactor ? -0.5 : -1;
    candidate.agreement += share * double(plan.times[decision.op]);
  }
}

Moves Decoder::run() {
  constexpr double leastShare = 0.0005;
  constexpr size_t maxLength = 32;
  const MoveTable &table = problem.table;
  std::vector<Candidate> candidates;
  for (MoveId move : idRange<MoveId>(table.moves.size()))
    if (table.representatives[move] == move && !isBySize(table.moves[move].role)) {
      candidates.push_back({move, listDecisions(move), 0});
      update(candidates.back());
    }
  double total = 0;
  for (int64_t time : plan.times.raw())
    total += double(time);
  Moves list;
  while (list.size() < maxLength && !candidates.empty()) {
    // The first of equals.
    auto best =
        llvm::max_element(candidates, [](const Candidate &a, const Candidate &b) { return a.agreement < b.agreement; });
    if (best->agreement <= leastShare * total)
      break;
    MoveId move = best->move;
    candidates.erase(best);
    if (!runner.run(move))
      continue;
    list.push_back(move);
    // A move changes what its own axis splits.
    for (Candidate &candidate : candidates)
      if (table.moves[candidate.move].axis == table.moves[move].axis || table.moves[move].parts.size() > 1)
        update(candidate);
  }
  return list;
}

Moves decodeRelaxedPlan(const PlanProblem &problem, const RelaxedPlan &plan) { return Decoder(problem, plan).run(); }

} // namespace partita::search
