//===- StateEvaluator.cpp - evaluates states and keeps the best -----------===//

#include "partita/Search/StateEvaluator.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace partita::search {

llvm::StringRef getName(StopReason reason) {
  switch (reason) {
  case StopReason::Finished:
    return "finished";
  case StopReason::Budget:
    return "budget";
  case StopReason::Deadline:
    return "deadline";
  case StopReason::Interrupted:
    return "interrupted";
  }
  return "";
}

uint64_t hashMoves(llvm::ArrayRef<MoveId> moves) {
  uint64_t hash = moves.size();
  for (MoveId move : moves)
    hash = mixHash(hash ^ (move.get() + 1));
  return hash;
}

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
  /// The number of evaluations that it may make.
  int64_t allowance = 0;
  std::vector<Found> looked;
  HillClimbed result;
};

/// Threads that wait for work; the caller works too.
class StateEvaluator::Threads {
public:
  explicit Threads(size_t count) {
    for (size_t number = 1; number <= count; ++number)
      list.emplace_back([this, number] { wait(number); });
  }
  ~Threads() {
    {
      std::lock_guard lock(mutex);
      isEnding = true;
    }
    wake.notify_all();
    for (std::thread &thread : list)
      thread.join();
  }

  /// Calls `work(item, thread)` for each item below `count`; thread 0 is the caller.
  void forEach(size_t count, llvm::function_ref<void(size_t, size_t)> work) {
    if (list.empty() || count == 1) {
      for (size_t item = 0; item < count; ++item)
        work(item, 0);
      return;
    }
    {
      std::lock_guard lock(mutex);
      job = work;
      numItems = count;
      next = 0;
      numBusy = list.size();
      ++generation;
    }
    wake.notify_all();
    take(0);
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return numBusy == 0; });
  }

private:
  void take(size_t thread) {
    for (size_t item = next++; item < numItems; item = next++)
      job(item, thread);
  }
  void wait(size_t thread) {
    uint64_t seen = 0;
    while (true) {
      std::unique_lock lock(mutex);
      wake.wait(lock, [&] { return isEnding || generation != seen; });
      if (isEnding)
        return;
      seen = generation;
      lock.unlock();
      take(thread);
      lock.lock();
      if (--numBusy == 0)
        done.notify_one();
    }
  }

  std::vector<std::thread> list;
  std::mutex mutex;
  std::condition_variable wake, done;
  llvm::function_ref<void(size_t, size_t)> job = nullptr;
  size_t numItems = 0, numBusy = 0;
  std::atomic<size_t> next = 0;
  uint64_t generation = 0;
  bool isEnding = false;
};

StateEvaluator::StateEvaluator(const Space &space, StateEvaluatorOptions given)
    : space(space), options(std::move(given)), limit(options.budget) {
  options.threads = std::max<int64_t>(1, options.threads);
  for (int64_t i = 0; i < options.threads; ++i)
    walkers.push_back(space.makeWalker());
  threads = std::make_unique<Threads>(options.threads - 1);
}

StateEvaluator::~StateEvaluator() = default;

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// If the deadline passes before anything was evaluated, one state is still evaluated, so that there is always a plan.
std::optional<StopReason> StateEvaluator::askClocks() const {
  if (options.isInterrupted && options.isInterrupted())
    return StopReason::Interrupted;
  if (options.deadline && numEvaluations > 0 && std::chrono::steady_clock::now() >= *options.deadline)
    return StopReason::Deadline;
  return std::nullopt;
}

void StateEvaluator::checkClock() {
  if (stopReason && *stopReason != StopReason::Budget)
    return;
  if (std::optional<StopReason> reason = askClocks())
    stopReason = reason;
}

void StateEvaluator::checkBudget() {
  if (!stopReason && numEvaluations >= limit)
    stopReason = StopReason::Budget;
}

void StateEvaluator::setAllowance(int64_t evaluations) {
  limit = std::min(options.budget, numEvaluations + evaluations);
  checkBudget();
}

void StateEvaluator::liftAllowance() {
  limit = options.budget;
  if (stopReason == StopReason::Budget && numEvaluations < limit)
    stopReason = std::nullopt;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

void StateEvaluator::runOne(Work &work, Walker &walker) {
  // `known` is not written while threads work.
  auto evaluate = [&](const Moves &list) {
    if (auto found = known.find(hashMoves(list)); found != known.end())
      return found->second;
    Evaluated evaluated = walker.evaluate(list);
    work.looked.push_back({list, evaluated});
    return evaluated;
  };
  if ((work.allowance == 0 || askClocks()) && known.count(hashMoves(work.canonical)) == 0)
    return;
  work.result.start = evaluate(work.canonical);
  work.result.best = {*work.start, work.result.start};
  for (MoveId move : work.suggestions) {
    Moves list = work.result.best.moves;
    if (int64_t(work.looked.size()) >= work.allowance || list.size() >= maxMoves || askClocks())
      return;
    list.push_back(move);
    Evaluated evaluated = evaluate(space.canonicalize(list));
    if (evaluated.rating < work.result.best.evaluated.rating)
      work.result.best = {std::move(list), evaluated};
  }
}

void StateEvaluator::record(const Moves &list, const Evaluated &evaluated) {
  known.try_emplace(hashMoves(list), evaluated);
  bool isNew = states.insert(evaluated.state).second;
  numEvaluations += isNew;
  Kept entry{evaluated.rating, list.size(), ++numRecorded};
  auto isBetter = [&](const Found &other) {
    return std::pair(evaluated.rating, list.size()) < std::pair(other.evaluated.rating, other.moves.size());
  };
  bool isBest = !best || isBetter(*best);
  if (isBest)
    best = Found{list, evaluated};
  if (options.onEvaluated && isNew)
    options.onEvaluated(list, evaluated, isBest);
  auto found = keptStates.find(evaluated.state);
  if (found != keptStates.end()) {
    if (found->second < entry)
      return;
    kept.erase(found->second);
    keptStates.erase(found);
  } else if (kept.size() == maxKept) {
    auto last = std::prev(kept.end());
    if (last->first < entry)
      return;
    keptStates.erase(last->second.evaluated.state);
    kept.erase(last);
  }
  kept.emplace(entry, Found{list, evaluated});
  keptStates.emplace(evaluated.state, entry);
}

std::vector<Found> StateEvaluator::getKept() const {
  std::vector<Found> list;
  for (const auto &[key, found] : kept)
    list.push_back(found);
  return list;
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
  size_t numRuns = std::min<size_t>(order.size(), walkers.size() == 1 ? 1 : 4 * walkers.size());
  threads->forEach(numRuns, [&](size_t run, size_t thread) {
    size_t end = order.size() * (run + 1) / numRuns;
    for (size_t i = order.size() * run / numRuns; i < end; ++i) {
      // Of equal queries only the first is evaluated; the others find its answer afterwards.
      if (i > 0 && order[i]->suggestions.empty() && order[i]->canonical == order[i - 1]->canonical)
        continue;
      runOne(*order[i], *walkers[thread]);
    }
  });
}

/// Splits the work into short batches, so that progress is reported soon. Each query may spend what is left before the
/// batch, so the last hill climbs may exceed the budget; what they find beyond it is not recorded.
void StateEvaluator::run(llvm::MutableArrayRef<Work> work) {
  constexpr size_t batchSize = 128;
  for (Work &one : work)
    one.canonical = space.canonicalize(*one.start);
  for (size_t first = 0, size = 0; first < work.size() && !isOver(); first += size) {
    checkClock();
    size = std::min({batchSize, work.size() - first, size_t(std::max<int64_t>(1, limit - numEvaluations))});
    llvm::MutableArrayRef<Work> batch = work.slice(first, size);
    for (Work &one : batch)
      one.allowance = isOver() ? 0 : limit - numEvaluations;
    runBatch(batch);
    for (Work &one : batch) {
      for (const Found &found : one.looked)
        if (numEvaluations < limit)
          record(found.moves, found.evaluated);
      one.looked.clear();
      if (auto found = known.find(hashMoves(one.canonical)); found != known.end())
        one.result.start = found->second;
    }
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
  auto found = known.find(hashMoves(space.canonicalize(list)));
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

std::vector<MoveId> StateEvaluator::propose(const Moves &list) {
  walkers.front()->evaluate(list);
  return walkers.front()->propose();
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
