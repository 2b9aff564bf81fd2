//===- BlockRun.h - the list scheduler for one run of a block -------------===//
//
// Runs the tasks of a block (TaskGraph.h): compute and what stops it here, what
// runs beside compute in NetworkRun.h. A task is released when all that it waits
// for has ended:
//
//   ops and reshards that compute waits for   their predecessors, and in program order:
//               compute does not go ahead to pass the time in which it waits. Only
//               what waits for a late reduction lets others pass
//   gathers     room among the gathered values that wait for their use, and the
//               fence in front of their batch (CollectiveBatches.h)
//   reductions  their predecessors, and those of their whole batch
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_BLOCKRUN_H
#define PARTITA_SIMULATE_BLOCKRUN_H

#include "partita/Simulate/CollectiveBatches.h"
#include "partita/Simulate/NetworkRun.h"
#include "partita/Simulate/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::simulate {

class BlockRun {
public:
  /// Runs a loop or branches, for which the host begins to issue at a time relative to their start.
  using RunCompound = llvm::function_ref<BlockTimeline(const Task &, int64_t)>;

  /// The host begins to issue the block's tasks at `issuePs`, which may be before the block starts.
  BlockRun(const TimedTasks &tasks, const Block &block, int64_t issuePs, RunCompound runCompound);

  BlockTimeline run();

private:
  const Task &getTask(uint32_t task) const { return block.tasks[task]; }
  bool isGather(uint32_t task) const { return gathers.batchOf[task] != GatherBatches::none; }

  // Order.
  void issueTasks();
  void addGathers();
  void addReductions();
  void findOrdered();
  bool releaseBlockedGathers();
  bool releaseBlockedReductions();
  /// One thing less that a gather waits for.
  void unblock(uint32_t task, int64_t atPs);
  void queueReduction(uint32_t task);
  /// Queues a task for which no predecessor is left.
  void release(uint32_t task);
  void finish(uint32_t task, int64_t endPs);
  void finishNetwork(uint32_t task, int64_t endPs);
  /// Call when a task takes its operands: gathered ones among them make room for later ones.
  void takeGathered(uint32_t task, int64_t atPs);

  // Compute.
  bool isComputed(const Task &task) const { return !tasks.isTimeless(task) && !tasks.isBeside(task); }
  void advanceOrdered();
  int64_t getNextComputePs() const;
  void startCompute(int64_t startPs);
  int64_t runTask(uint32_t index, int64_t startPs);

  const TimedTasks &tasks;
  const Block &block;
  int64_t issuePs;
  RunCompound runCompound;
  BlockTimeline result;
  NetworkRun network;
  std::vector<int64_t> readyPs;
  /// When the host begins to issue each task; empty if it takes no time.
  std::vector<int64_t> issueStartPs;
  std::vector<uint32_t> pending;

  /// Tasks that wait for compute, or stop it: by ready time, and by program order once they are ready.
  WaitingQueue computeWaiting;
  ReadyQueue<uint32_t> computeReady;
  /// Whether a task waits for a late reduction, also through others.
  std::vector<uint8_t> isBehindLate;
  /// Of the tasks of compute that do not: all before this one have been queued, the last to begin at that time.
  uint32_t nextOrdered = 0;
  int64_t orderedPs = 0;
  int64_t computeFreePs = 0;

  GatherBatches gathers;
  /// For each batch of gathers, whether one of them has been used, and how many are not there yet.
  std::vector<uint8_t> isTaken;
  std::vector<size_t> missing;
  std::vector<Batch> reductions;
  /// For each task the batch of reductions that it is in, or -1; for each batch how many cannot begin yet.
  std::vector<int32_t> reductionOf;
  std::vector<size_t> unready;
  int64_t endPs = 0;
  size_t numDone = 0;
};

} // namespace partita::simulate

#endif
