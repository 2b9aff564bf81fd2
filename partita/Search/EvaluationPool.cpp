//===- EvaluationPool.cpp - what the searches of one space share ----------===//

#include "partita/Search/EvaluationPool.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
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

//===----------------------------------------------------------------------===//
// KeptStates
//===----------------------------------------------------------------------===//

bool KeptStates::add(const Moves &list, const Evaluated &evaluated) {
  Key key{evaluated.rating, list.size(), ++numAdded};
  bool isBest =
      !best || std::pair(evaluated.rating, list.size()) < std::pair(best->evaluated.rating, best->moves.size());
  if (isBest)
    best = Found{list, evaluated};
  auto found = keptStates.find(evaluated.state);
  if (found != keptStates.end()) {
    if (found->second < key)
      return isBest;
    kept.erase(found->second);
    keptStates.erase(found);
  } else if (kept.size() == maxKept) {
    auto last = std::prev(kept.end());
    if (last->first < key)
      return isBest;
    keptStates.erase(last->second.evaluated.state);
    kept.erase(last);
  }
  kept.emplace(key, Found{list, evaluated});
  keptStates.emplace(evaluated.state, key);
  return isBest;
}

std::vector<Found> KeptStates::list() const {
  std::vector<Found> list;
  for (const auto &[key, found] : kept)
    list.push_back(found);
  return list;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Threads that wait for work; the caller works too.
class EvaluationPool::Threads {
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

  /// Thread 0 is the caller.
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

void EvaluationPool::forEach(size_t count, llvm::function_ref<void(size_t, size_t)> work) {
  threads->forEach(count, work);
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

EvaluationPool::EvaluationPool(const Space &space, StateEvaluatorOptions given)
    : space(space), options(std::move(given)) {
  options.threads = std::max<int64_t>(1, options.threads);
  for (int64_t i = 0; i < options.threads; ++i)
    walkers.push_back(space.makeWalker());
  threads = std::make_unique<Threads>(options.threads - 1);
  answers.insert(options.answers.begin(), options.answers.end());
}

EvaluationPool::~EvaluationPool() = default;

const Evaluated *EvaluationPool::findAnswer(uint64_t list) const {
  auto found = answers.find(list);
  return found == answers.end() ? nullptr : &found->second;
}

std::vector<std::pair<uint64_t, Evaluated>> EvaluationPool::listAnswers() const {
  std::vector<std::pair<uint64_t, Evaluated>> list(answers.begin(), answers.end());
  llvm::sort(list, [](const auto &a, const auto &b) { return a.first < b.first; });
  return list;
}

bool EvaluationPool::record(const Moves &list, const Evaluated &evaluated) {
  answers.try_emplace(hashMoves(list), evaluated);
  bool isNew = states.insert(evaluated.state).second;
  bool isBest = kept.add(list, evaluated);
  if (options.onEvaluated && isNew)
    options.onEvaluated(list, evaluated, isBest);
  return isNew;
}

std::optional<StopReason> EvaluationPool::askClocks() const {
  if (options.isInterrupted && options.isInterrupted())
    return StopReason::Interrupted;
  if (options.deadline && !states.empty() && std::chrono::steady_clock::now() >= *options.deadline)
    return StopReason::Deadline;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

uint32_t EvaluationPool::findNext() const {
  uint32_t next = UINT32_MAX;
  for (uint32_t lane = 0; lane < lanes.size(); ++lane)
    if (!lanes[lane].hasEnded && (next == UINT32_MAX || lanes[lane].numEvaluations < lanes[next].numEvaluations))
      next = lane;
  return next;
}

void EvaluationPool::awaitTurn(uint32_t lane, std::unique_lock<std::mutex> &lock) {
  turn.wait(lock, [&] { return running == lane; });
}

void EvaluationPool::passTurn(int64_t numEvaluations) {
  std::unique_lock lock(mutex);
  if (lanes.empty())
    return;
  uint32_t own = running;
  lanes[own].numEvaluations = numEvaluations;
  running = findNext();
  if (running == own)
    return;
  turn.notify_all();
  awaitTurn(own, lock);
}

void EvaluationPool::runLanes(uint32_t count, llvm::function_ref<void(uint32_t)> lane) {
  lanes.assign(count, {});
  running = 0;
  std::vector<std::jthread> ofLanes;
  for (uint32_t number = 0; number < count; ++number)
    ofLanes.emplace_back([this, number, lane] {
      std::unique_lock lock(mutex);
      awaitTurn(number, lock);
      lock.unlock();
      lane(number);
      lock.lock();
      lanes[number].hasEnded = true;
      running = findNext();
      turn.notify_all();
    });
  ofLanes.clear();
  lanes.clear();
}

} // namespace partita::search
