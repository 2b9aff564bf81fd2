//===- StateEvaluator.h - evaluates states and keeps the best -------------===//
//
// All algorithms evaluate states here. The evaluator counts each state once
// against the budget, caches answers, shares the work among threads, and keeps
// the best state and those that come close. Queries come in batches. Answers,
// counts and the kept states follow the order of the batch, so they do not
// depend on the number of threads.
//
// A hill climb is a query with suggestions: from a state, it tries each
// suggested move in turn and keeps it if it improves the rating.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_STATEEVALUATOR_H
#define PARTITA_SEARCH_STATEEVALUATOR_H

#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace partita::search {

/// Why a search ended.
enum class StopReason : uint8_t {
  /// Nothing was left to try.
  Finished,
  Budget,
  Deadline,
  Interrupted,
};

/// `budget`.
llvm::StringRef getName(StopReason reason);

struct Found {
  Moves moves;
  Evaluated evaluated;
};

struct HillClimb {
  Moves start;
  /// Tried in order.
  std::vector<MoveId> suggestions;
};

struct HillClimbed {
  Evaluated start;
  Found best;
};

/// Called for each new state, in order.
using OnEvaluated = std::function<void(llvm::ArrayRef<MoveId>, const Evaluated &, bool isBest)>;

struct StateEvaluatorOptions {
  int64_t budget = INT64_MAX;
  int64_t threads = 1;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Asked before each state, by all threads.
  std::function<bool()> isInterrupted;
  OnEvaluated onEvaluated;
};

class StateEvaluator {
public:
  StateEvaluator(const Space &space, StateEvaluatorOptions options);
  ~StateEvaluator();

  const Space &getSpace() const { return space; }

  /// One answer for each list; the worst rating for lists beyond the budget.
  std::vector<Evaluated> evaluate(llvm::ArrayRef<Moves> lists);
  Evaluated evaluate(const Moves &list) { return evaluate(llvm::ArrayRef<Moves>(&list, 1)).front(); }
  std::vector<HillClimbed> hillClimb(llvm::ArrayRef<HillClimb> climbs);
  /// The moves that the space proposes after a list that was evaluated before (Walker::propose); costs no budget.
  std::vector<MoveId> propose(const Moves &list);
  /// Walker::expand; costs no budget.
  Moves expand(const Moves &list) { return walkers.front()->expand(list); }
  /// The cached answer for a list, if there is one.
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
  const std::optional<Found> &getBest() const { return best; }
  /// Different states, the best first, at most `maxKept`.
  std::vector<Found> getKept() const;
  static constexpr size_t maxKept = 32;

private:
  struct Work;
  class Threads;
  struct Kept {
    Rating rating;
    size_t size;
    int64_t number;
    auto operator<=>(const Kept &) const = default;
  };

  void run(llvm::MutableArrayRef<Work> work);
  void runBatch(llvm::MutableArrayRef<Work> batch);
  void runOne(Work &work, Walker &walker);
  void record(const Moves &list, const Evaluated &evaluated);
  /// Checks deadline and interruption; called by all threads.
  std::optional<StopReason> askClocks() const;
  void checkClock();
  void checkBudget();

  const Space &space;
  StateEvaluatorOptions options;
  std::vector<std::unique_ptr<Walker>> walkers;
  std::unique_ptr<Threads> threads;
  /// By the hash of the list.
  std::unordered_map<uint64_t, Evaluated> known;
  std::unordered_set<uint64_t> states;
  int64_t numEvaluations = 0, numRecorded = 0;
  int64_t limit;
  std::optional<StopReason> stopReason;
  std::optional<Found> best;
  std::map<Kept, Found> kept;
  std::unordered_map<uint64_t, Kept> keptStates;
};

/// Hashes a list of moves, in order.
uint64_t hashMoves(llvm::ArrayRef<MoveId> moves);

/// The list without the moves that had no effect.
Moves dropIneffective(llvm::ArrayRef<MoveId> moves, const Evaluated &evaluated);

} // namespace partita::search

#endif
