//===- EvaluationPool.h - what the searches of one space share ------------===//
//
// Several searches may run on one space, each in a lane of its own: it has its
// own budget, and knows only what it has evaluated itself (StateEvaluator.h).
// The pool holds what they share: walkers and threads, the answers of all lists,
// which no lane has to compute again, the states that any lane has seen, which
// count once against the budget of the whole, and the best of them.
//
// Lanes take turns. The turn belongs to the lane that has evaluated least, so
// that all advance alike, and only that one runs: what comes out depends neither
// on the number of threads nor on their speed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_EVALUATIONPOOL_H
#define PARTITA_SEARCH_EVALUATIONPOOL_H

#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace partita::search {

/// Why a search ended; of several, the last of these counts.
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

/// Called for each new state, in order.
using OnEvaluated = std::function<void(llvm::ArrayRef<MoveId>, const Evaluated &, bool isBest)>;

struct StateEvaluatorOptions {
  int64_t budget = INT64_MAX;
  int64_t threads = 1;
  std::optional<std::chrono::steady_clock::time_point> deadline;
  /// Asked before each state, by all threads.
  std::function<bool()> isInterrupted;
  OnEvaluated onEvaluated;
  /// Answers that an earlier search has found, by the hash of the list.
  std::vector<std::pair<uint64_t, Evaluated>> answers;
};

/// Hashes a list of moves, in order.
uint64_t hashMoves(llvm::ArrayRef<MoveId> moves);

/// The best state, and those that come close.
class KeptStates {
public:
  static constexpr size_t maxKept = 32;

  /// Returns whether it is the best so far. Of equal ratings, the shorter list is better.
  bool add(const Moves &list, const Evaluated &evaluated);
  /// Nullopt before the first state.
  const std::optional<Found> &getBest() const { return best; }
  /// Different states, the best first, at most `maxKept`.
  std::vector<Found> list() const;

private:
  struct Key {
    Rating rating;
    size_t size;
    int64_t number;
    auto operator<=>(const Key &) const = default;
  };

  int64_t numAdded = 0;
  std::optional<Found> best;
  std::map<Key, Found> kept;
  std::unordered_map<uint64_t, Key> keptStates;
};

class EvaluationPool {
public:
  EvaluationPool(const Space &space, StateEvaluatorOptions options);
  ~EvaluationPool();

  const Space &getSpace() const { return space; }
  const StateEvaluatorOptions &getOptions() const { return options; }
  size_t getNumWalkers() const { return walkers.size(); }
  Walker &getWalker(size_t thread) { return *walkers[thread]; }
  /// Calls `work(item, thread)` for each item below `count`, on all threads.
  void forEach(size_t count, llvm::function_ref<void(size_t, size_t)> work);

  /// The answer to a list that some lane asked for; null if there is none. By the hash of the list.
  const Evaluated *findAnswer(uint64_t list) const;
  /// Notes an answer. Returns whether no lane has seen its state before.
  bool record(const Moves &list, const Evaluated &evaluated);
  /// All answers, by the hash of the list, in ascending order.
  std::vector<std::pair<uint64_t, Evaluated>> listAnswers() const;
  /// The states that lanes have seen.
  int64_t getNumStates() const { return int64_t(states.size()); }
  int64_t getBudgetLeft() const { return options.budget - getNumStates(); }
  const KeptStates &getKept() const { return kept; }
  /// Checks deadline and interruption; called by all threads. If the deadline passes before anything was evaluated, one
  /// state is still evaluated, so that there is always a plan.
  std::optional<StopReason> askClocks() const;

  /// Runs the lanes, each in a thread of its own, one at a time: a lane keeps its turn until it calls passTurn. Returns
  /// when all have ended. A lane is called with its number.
  void runLanes(uint32_t count, llvm::function_ref<void(uint32_t)> lane);
  /// Says how many evaluations the running lane has made, and lets another one run if that one has made fewer. Does
  /// nothing if there are no lanes.
  void passTurn(int64_t numEvaluations);

private:
  class Threads;
  /// A lane that takes turns.
  struct Lane {
    int64_t numEvaluations = 0;
    bool hasEnded = false;
  };

  /// The lane that runs next: of those that have not ended, the first with the fewest evaluations.
  uint32_t findNext() const;
  void awaitTurn(uint32_t lane, std::unique_lock<std::mutex> &lock);

  const Space &space;
  StateEvaluatorOptions options;
  std::vector<std::unique_ptr<Walker>> walkers;
  std::unique_ptr<Threads> threads;
  std::unordered_map<uint64_t, Evaluated> answers;
  std::unordered_set<uint64_t> states;
  KeptStates kept;
  std::mutex mutex;
  std::condition_variable turn;
  std::vector<Lane> lanes;
  uint32_t running = 0;
};

} // namespace partita::search

#endif
