//===- StateEvaluator.h - evaluates states for one search -----------------===//
//
// All algorithms evaluate states here. The evaluator counts each state once
// against its budget, remembers answers, shares the work among threads, and
// keeps the best state and those that come close. Queries come in batches.
// Answers, counts and the kept states follow the order of the batch, so they do
// not depend on the number of threads.
//
// Several evaluators may share a pool (EvaluationPool.h). Each is the lane of one
// search, which knows and counts what it has asked for itself, whatever others
// know: it does the same as alone, only faster. An evaluator that counts new
// states only gets for nothing what another lane has paid for.
//
// A hill climb is a query with suggestions: from a state, it tries each
// suggested move in turn and keeps it if it improves the rating.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_STATEEVALUATOR_H
#define PARTITA_SEARCH_STATEEVALUATOR_H

#include "partita/Search/EvaluationPool.h"
#include "partita/Search/Rooms.h"

#include <memory>

namespace partita::search {

struct HillClimb {
  Moves start;
  /// Tried in order.
  std::vector<MoveId> suggestions;
};

struct HillClimbed {
  Evaluated start;
  Found best;
};

/// What an evaluator counts.
enum class CountedStates : uint8_t {
  /// Each state that it asks for, once.
  All,
  /// Those that no evaluator of the pool has asked for before.
  New,
};

class StateEvaluator {
public:
  /// With a pool of its own.
  StateEvaluator(const Space &space, StateEvaluatorOptions options);
  StateEvaluator(EvaluationPool &pool, CountedStates counted);

  const Space &getSpace() const { return pool.getSpace(); }
  const EvaluationPool &getPool() const { return pool; }

  /// One answer for each list; the worst rating for lists beyond the budget.
  std::vector<Evaluated> evaluate(llvm::ArrayRef<Moves> lists);
  Evaluated evaluate(const Moves &list) { return evaluate(llvm::ArrayRef<Moves>(&list, 1)).front(); }
  std::vector<HillClimbed> hillClimb(llvm::ArrayRef<HillClimb> climbs);
  /// The moves that the space proposes after a list that was evaluated before (Walker::propose); costs no budget.
  std::vector<MoveId> propose(const Moves &list);
  /// Walker::expand; costs no budget.
  Moves expand(const Moves &list) { return pool.getWalker(0).expand(list); }
  /// The remembered answer for a list, if there is one.
  std::optional<Evaluated> findKnown(const Moves &list) const;

  /// Whether no more states may be evaluated; algorithms check it between batches.
  bool isOver() const { return stopReason.has_value(); }
  /// Finished unless something else ended it.
  StopReason getStopReason() const { return stopReason.value_or(StopReason::Finished); }
  int64_t getNumEvaluations() const { return numEvaluations; }
  /// Limits what the next algorithm may spend. When that is spent, `isOver` is true until liftAllowance().
  void setAllowance(int64_t evaluations);
  void liftAllowance();

  /// Nullopt before the first answer.
  const std::optional<Found> &getBest() const { return kept.getBest(); }
  /// Different states, the best first, at most `maxKept`.
  std::vector<Found> getKept() const { return kept.list(); }
  static constexpr size_t maxKept = KeptStates::maxKept;

private:
  struct Work;

  void run(llvm::MutableArrayRef<Work> work);
  void runBatch(llvm::MutableArrayRef<Work> batch);
  void runOne(Work &work, Walker &walker);
  void record(const Moves &list, const Evaluated &evaluated);
  void checkClock();
  void checkBudget();
  /// What may still be evaluated, by its own limit and by the pool's.
  int64_t getLeft() const { return std::min(limit - numEvaluations, pool.getBudgetLeft()); }

  std::unique_ptr<EvaluationPool> ownPool;
  EvaluationPool &pool;
  CountedStates counted;
  /// By the hash of the list.
  std::unordered_map<uint64_t, Evaluated> known;
  std::unordered_set<uint64_t> states;
  int64_t numEvaluations = 0;
  int64_t limit = INT64_MAX;
  std::optional<StopReason> stopReason;
  KeptStates kept;
};

/// The list without the moves that had no effect.
Moves dropIneffective(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated);

} // namespace partita::search

#endif
