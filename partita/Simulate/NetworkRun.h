//===- NetworkRun.h - what the network does beside compute ----------------===//
//
// Gathers and late reductions of one run of a block. The network runs one at a
// time: of those that are ready a gather before a reduction, then the first in
// program order. What compute waits for interrupts it (`occupy`). The network
// is only ever advanced to times at which nothing else begins or ends.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_NETWORKRUN_H
#define PARTITA_SIMULATE_NETWORKRUN_H

#include "partita/Simulate/BlockTimeline.h"
#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/TimedTasks.h"

#include <optional>
#include <queue>

namespace partita::simulate {

/// Tasks by the time at which they are ready, then in program order.
struct WaitingTask {
  int64_t readyPs;
  uint32_t task;
  bool operator>(const WaitingTask &other) const {
    return std::pair(readyPs, task) > std::pair(other.readyPs, other.task);
  }
};
using WaitingQueue = std::priority_queue<WaitingTask, std::vector<WaitingTask>, std::greater<>>;
template <typename Key> using ReadyQueue = std::priority_queue<Key, std::vector<Key>, std::greater<>>;

class NetworkRun {
public:
  /// Adds what it does to `result`.
  NetworkRun(const TimedTasks &tasks, const Block &block, BlockTimeline &result)
      : tasks(tasks), block(block), result(result), remainingPs(block.tasks.size(), 0) {}

  void add(uint32_t task, int64_t readyPs) {
    remainingPs[task] = tasks.getDuration(block.tasks[task]);
    waiting.push({readyPs, task});
  }
  /// When it ends what it does, or has something else to choose from; INT64_MAX if there is nothing.
  int64_t findNextPs();
  /// Goes on to a time at most that of findNextPs. Returns the task that ends then.
  std::optional<uint32_t> advance(int64_t atPs);
  /// Goes on to that time, at which nothing may have begun or ended.
  void serve(int64_t untilPs);
  /// Something else takes the network for so long.
  void occupy(int64_t startPs, int64_t timePs);
  /// Compute is idle from `fromPs` to `untilPs`; the network has been served until then.
  void accountIdle(int64_t fromPs, int64_t untilPs);
  /// Puts its events into the result.
  void finish() { result.events.insert(result.events.end(), pieces.begin(), pieces.end()); }

private:
  /// Gathers of parameters come before late reductions; then program order counts.
  using Key = std::pair<bool, uint32_t>;

  const TimedTasks &tasks;
  const Block &block;
  BlockTimeline &result;
  std::vector<int64_t> remainingPs;
  WaitingQueue waiting;
  ReadyQueue<Key> ready;
  /// It has done all that it did before this time.
  int64_t nowPs = 0;
  /// What it ran, of which those from `firstPiece` on may reach beyond the time until which idle time is accounted for.
  std::vector<TimelineEvent> pieces;
  size_t firstPiece = 0;
};

} // namespace partita::simulate

#endif
