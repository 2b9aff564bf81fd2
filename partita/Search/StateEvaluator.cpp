//===- StateEvaluator.cpp - evaluates states for one search ---------------===//

#include "partita/Search/StateEvaluator.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

Moves dropIneffective(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated) {
  Moves list;
  for (size_t i = 0; i < moves.size(); ++i)
    if (evaluated.isEffective(i))
      list.push_back(moves[i]);
  return list;
}

/// A query in progress, and the states that it has evaluated, in order.
struct StateEvaluator::Work {
  const Moves *start = nullptr;
  Moves canonical;
  llvm::ArrayRef<MoveId> suggestions;
  /// Whether it may evaluate anything new.
  bool isAllowed = false;
  std::vector<Found> looked;
  HillClimbed result;
};

StateEvaluator::StateEvaluator(const Space &space, StateEvaluatorOptions options)
    : ownPool(std::make_unique<EvaluationPool>(space, std::move(options))), pool(*ownPool),
      counted(CountedStates::All) {}

StateEvaluator::StateEvaluator(EvaluationPool &pool, CountedStates counted) : pool(pool), counted(counted) {}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

void StateEvaluator::checkClock() {
  if (stopReason && *stopReason != StopReason::Budget)
    return;
  if (std::optional<StopReason> reason = pool.askClocks())
    stopReason = reason;
}

void StateEvaluator::checkBudget() {
  if (!stopReason && getLeft() <= 0)
    stopReason = StopReason::Budget;
}

void StateEvaluator::setAllowance(int64_t evaluations) {
  limit = numEvaluations + evaluations;
  checkBudget();
}

void StateEvaluator::liftAllowance() {
  limit = INT64_MAX;
  if (stopReason == StopReason::Budget && getLeft() > 0)
    stopReason = std::nullopt;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

void StateEvaluator::runOne(Work &work, Walker &walker) {
  // Neither `known` nor the pool is written while threads work.
  auto evaluate = [&](const Moves &list) {
    uint64_t hash = hashMoves(list);
    if (auto found = known.find(hash); found != known.end())
      return found->second;
    const Evaluated *answer = pool.findAnswer(hash);
    Evaluated evaluated = answer ? *answer : walker.evaluate(list);
    work.looked.push_back({list, evaluated});
    return evaluated;
  };
  if ((!work.isAllowed || pool.askClocks()) && known.count(hashMoves(work.canonical)) == 0)
    return;
  work.result.start = evaluate(work.canonical);
  work.result.best = {*work.start, work.result.start};
  for (MoveId move : work.suggestions) {
    Moves list = work.result.best.moves;
    if (list.size() >= maxMoves || pool.askClocks())
      return;
    list.push_back(move);
    Evaluated evaluated = evaluate(getSpace().canonicalize(list));
    if (evaluated.rating < work.result.best.evaluated.rating)
      work.result.best = {std::move(list), evaluated};
  }
}

void StateEvaluator::record(const Moves &list, const Evaluated &evaluated) {
  known.try_emplace(hashMoves(list), evaluated);
  bool isNew = states.insert(evaluated.state).second, isNewToAll = pool.record(list, evaluated);
  numEvaluations += counted == CountedStates::All ? isNew : isNewToAll;
  kept.add(list, evaluated);
}

/// Evaluates lists in the order of their moves, so that walkers go from neighbor to neighbor; each thread takes
/// contiguous runs.
void StateEvaluator::runBatch(llvm::MutableArrayRef<Work> batch) {
  std::vector<Work *> order;
  for (Work &one : batch)
    order.push_back(&one);
  // Equal lists keep their order: `batch` is one array, so addresses can be compared.
  llvm::sort(order, [](const Work *a, const Work *b) {
    auto compared = std::lexicographical_compare_three_way(a->canonical.begin(), a->canonical.end(),
                                                           b->canonical.begin(), b->canonical.end());
    return compared != 0 ? compared < 0 : a < b;
  });
  size_t numWalkers = pool.getNumWalkers();
  size_t numRuns = std::min<size_t>(order.size(), numWalkers == 1 ? 1 : 4 * numWalkers);
  pool.forEach(numRuns, [&](size_t run, size_t thread) {
    size_t end = order.size() * (run + 1) / numRuns;
    for (size_t i = order.size() * run / numRuns; i < end; ++i) {
      // Of equal queries only the first is evaluated; the others find its answer afterwards.
      if (i > 0 && order[i]->suggestions.empty() && order[i]->canonical == order[i - 1]->canonical)
        continue;
      runOne(*order[i], pool.getWalker(thread));
    }
  });
}

/// Splits the work into short batches, so that progress is reported soon. The last hill climbs may exceed the budget;
/// what they find beyond it is not recorded, so that a larger budget begins with the same states.
void StateEvaluator::run(llvm::MutableArrayRef<Work> work) {
  constexpr size_t batchSize = 128;
  for (Work &one : work)
    one.canonical = getSpace().canonicalize(*one.start);
  for (size_t first = 0, size = 0; first < work.size() && !isOver(); first += size) {
    checkClock();
    size = std::min({batchSize - first % batchSize, work.size() - first, size_t(std::max<int64_t>(1, getLeft()))});
    llvm::MutableArrayRef<Work> batch = work.slice(first, size);
    for (Work &one : batch)
      one.isAllowed = !isOver() && getLeft() > 0;
    runBatch(batch);
    for (Work &one : batch) {
      for (const Found &found : one.looked)
        if (getLeft() > 0)
          record(found.moves, found.evaluated);
      one.looked.clear();
      if (auto found = known.find(hashMoves(one.canonical)); found != known.end())
        one.result.start = found->second;
    }
    // What is left of the budget must not decide when other lanes get their turn.
    if (size_t next = first + size; next / batchSize > first / batchSize || next == work.size() || getLeft() <= 0)
      pool.passTurn(numEvaluations);
    checkClock();
    checkBudget();
  }
}

std::vector<HillClimbed> StateEvaluator::hillClimb(llvm::ArrayRef<HillClimb> climbs) {
  std::vector<Work> work(climbs.size());
  for (size_t i = 0; i < climbs.size(); ++i) {
    work[i].start = &climbs[i].start;
    work[i].suggestions = climbs[i].suggestions;
  }
  run(work);
  std::vector<HillClimbed> results;
  for (Work &one : work)
    results.push_back(std::move(one.result));
  return results;
}

std::optional<Evaluated> StateEvaluator::findKnown(const Moves &list) const {
  auto found = known.find(hashMoves(getSpace().canonicalize(list)));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::vector<MoveId> StateEvaluator::propose(const Moves &list) {
  pool.getWalker(0).evaluate(list);
  return pool.getWalker(0).propose();
}

std::vector<Evaluated> StateEvaluator::evaluate(llvm::ArrayRef<Moves> lists) {
  std::vector<Work> work(lists.size());
  for (size_t i = 0; i < lists.size(); ++i)
    work[i].start = &lists[i];
  run(work);
  std::vector<Evaluated> results;
  for (Work &one : work)
    results.push_back(one.result.start);
  return results;
}

} // namespace partita::search
