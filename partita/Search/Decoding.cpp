//===- Decoding.cpp - the bound's relaxed plan as moves -------------------===//

#include "partita/Search/Decoding.h"

#include "partita/Search/Bound/Bound.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::search {

namespace {

/// A decision that a move makes when it is made alone.
struct MadeDecision {
  OpId op;
  AxisId axis;
  uint8_t factor;
};

class Decoder {
public:
  Decoder(const PlanProblem &problem, const RelaxedPlan &plan)
      : problem(problem), plan(plan), walker(problem), runner(walker.getRunner()), assignment(walker.getAssignment()) {}

  Moves run();

private:
  std::vector<MadeDecision> makeAlone(MoveId move);
  /// How much the relaxed plan agrees with what the decisions add to the current assignment, in picoseconds.
  double computeAgreement(llvm::ArrayRef<MadeDecision> decisions) const;

  const PlanProblem &problem;
  const RelaxedPlan &plan;
  PlanWalker walker;
  MoveRunner &runner;
  const Assignment &assignment;
};

} // namespace

std::vector<MadeDecision> Decoder::makeAlone(MoveId move) {
  const Topology &topology = assignment.getTopology();
  MoveRunner::Mark mark = runner.mark();
  runner.run(move);
  std::vector<MadeDecision> decisions;
  for (const Change &change : assignment.getChanges(mark.assignment)) {
    if (change.kind != ChangeKind::Assign || !topology.isOp(change.getNode()))
      continue;
    uint8_t factor = assignment.getFactor(change.getNode(), change.getAxis());
    if (factor != sumFactor)
      decisions.push_back({topology.getOp(change.getNode()), change.getAxis(), factor});
  }
  runner.rollback(mark);
  return decisions;
}

/// To split what the relaxed plan leaves whole is half as wrong as to split another factor.
double Decoder::computeAgreement(llvm::ArrayRef<MadeDecision> decisions) const {
  double agreement = 0;
  for (const MadeDecision &decision : decisions) {
    const auto &factors = plan.factors[decision.op];
    NodeId node = assignment.getTopology().getNode(decision.op);
    if (factors.empty() || assignment.getFactor(node, decision.axis) != noFactor)
      continue;
    uint8_t wanted = factors[decision.axis.get()];
    double share = wanted == decision.factor ? 1 : wanted == noFactor || wanted == sumFactor ? -0.5 : -1;
    agreement += share * double(plan.times[decision.op]);
  }
  return agreement;
}

Moves Decoder::run() {
  constexpr double leastShare = 0.0005;
  constexpr size_t maxLength = 32;
  std::vector<std::pair<MoveId, std::vector<MadeDecision>>> candidates;
  for (MoveId move : idRange<MoveId>(problem.table.moves.size()))
    if (problem.table.representatives[move] == move)
      candidates.emplace_back(move, makeAlone(move));
  double total = 0;
  for (int64_t time : plan.times.raw())
    total += double(time);
  Moves list;
  while (list.size() < maxLength) {
    MoveId best;
    double most = leastShare * total;
    for (const auto &[move, decisions] : candidates)
      if (double agreement = computeAgreement(decisions); agreement > most) {
        most = agreement;
        best = move;
      }
    if (!best.isValid())
      break;
    if (runner.run(best))
      list.push_back(best);
    llvm::erase_if(candidates, [&](const auto &each) { return each.first == best; });
  }
  return list;
}

Moves decodeRelaxedPlan(const PlanProblem &problem, const StateEvaluatorOptions &options) {
  BoundOptions bound;
  bound.isLimited = llvm::is_contained(problem.goals, Goal::Fit);
  bound.isOver = options.isInterrupted;
  std::optional<RelaxedPlan> plan = findRelaxedPlan(problem.model, bound);
  return plan ? Decoder(problem, *plan).run() : Moves();
}

} // namespace partita::search
