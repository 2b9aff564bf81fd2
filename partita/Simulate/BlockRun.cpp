//===- BlockRun.cpp - the list scheduler for one run of a block -----------===//

#include "partita/Simulate/BlockRun.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace partita::simulate {

BlockRun::BlockRun(const TimedTasks &tasks, const Block &block, int64_t issuePs, RunCompound runCompound)
    : tasks(tasks), block(block), issuePs(issuePs), runCompound(runCompound), result(tasks.getNumStreams()),
      network(tasks, block, result), readyPs(block.tasks.size(), 0), pending(block.tasks.size()),
      gathers(findGatherBatches(tasks, block)), reductions(findReductionBatches(tasks, block)),
      reductionOf(block.tasks.size(), -1) {}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Computes when each task is issued: nothing starts earlier.
void BlockRun::issueTasks() {
  if (tasks.getOptions().issuePs == 0)
    return;
  int64_t issuedPs = issuePs;
  for (uint32_t task = 0; task < block.tasks.size(); ++task) {
    issueStartPs.push_back(issuedPs);
    issuedPs = std::min(maxTimePs, issuedPs + tasks.computeIssuePs(getTask(task)));
    if (getTask(task).blocks.empty())
      readyPs[task] = std::max(readyPs[task], issuedPs);
  }
}

/// The first `depth` batches have room at once. Each other one waits for the use of the one `depth` before it.
void BlockRun::addGathers() {
  isTaken.assign(gathers.batches.size(), 0);
  size_t depth = std::max<uint32_t>(1, tasks.getOptions().prefetchDepth);
  for (size_t number = 0; number < gathers.batches.size(); ++number) {
    missing.push_back(gathers.batches[number].size());
    for (uint32_t task : gathers.batches[number])
      pending[task] = number < depth ? 0 : 1;
  }
  for (llvm::ArrayRef<uint32_t> numbers : gathers.fenced)
    for (uint32_t number : numbers)
      for (uint32_t task : gathers.batches[number])
        ++pending[task];
}

void BlockRun::addReductions() {
  for (size_t number = 0; number < reductions.size(); ++number) {
    unready.push_back(reductions[number].size());
    for (uint32_t task : reductions[number])
      reductionOf[task] = static_cast<int32_t>(number);
  }
}

void BlockRun::findOrdered() {
  isBehindLate.assign(block.tasks.size(), 0);
  for (uint32_t task = 0; task < block.tasks.size(); ++task) {
    if (tasks.isLate(getTask(task)) || tasks.endsIteration(getTask(task)))
      isBehindLate[task] = 1;
    if (isBehindLate[task])
      for (uint32_t next : getTask(task).successors)
        isBehindLate[next] = 1;
  }
}

void BlockRun::unblock(uint32_t task, int64_t atPs) {
  if (pending[task] == 0)
    return;
  readyPs[task] = std::max(readyPs[task], atPs);
  if (--pending[task] == 0)
    release(task);
}

/// An op may need more gathered values at once than there is room for. Then lets the first blocked ones run.
bool BlockRun::releaseBlockedGathers() {
  for (const Batch &batch : gathers.batches) {
    bool isBlocked = false;
    for (uint32_t task : batch)
      if (pending[task] != 0) {
        pending[task] = 1;
        unblock(task, endPs);
        isBlocked = true;
      }
    if (isBlocked)
      return true;
  }
  return false;
}

/// One of a batch may need another one of it. Then lets those run that can; the others run by themselves.
bool BlockRun::releaseBlockedReductions() {
  auto isReady = [&](uint32_t task) { return pending[task] == 0; };
  for (size_t number = 0; number < reductions.size(); ++number) {
    Batch &batch = reductions[number];
    if (unready[number] == 0 || llvm::none_of(batch, isReady))
      continue;
    for (uint32_t task : batch)
      if (!isReady(task))
        reductionOf[task] = -1;
    llvm::erase_if(batch, [&](uint32_t task) { return !isReady(task); });
    unready[number] = 1;
    queueReduction(batch.front());
    return true;
  }
  return false;
}

/// Waits until all reductions of the batch can begin. Compute waits for the last batch.
void BlockRun::queueReduction(uint32_t task) {
  auto number = static_cast<size_t>(reductionOf[task]);
  if (--unready[number] != 0)
    return;
  int64_t beginPs = 0;
  for (uint32_t member : reductions[number])
    beginPs = std::max(beginPs, readyPs[member]);
  for (uint32_t member : reductions[number])
    if (number + 1 == reductions.size())
      computeWaiting.push({beginPs, member});
    else
      network.add(member, beginPs);
}

void BlockRun::release(uint32_t task) {
  if (tasks.isTimeless(getTask(task)))
    return finish(task, readyPs[task]);
  if (!tasks.isBeside(getTask(task))) {
    if (isBehindLate[task])
      computeWaiting.push({readyPs[task], task});
    return advanceOrdered();
  }
  if (reductionOf[task] >= 0)
    return queueReduction(task);
  network.add(task, readyPs[task]);
}

void BlockRun::takeGathered(uint32_t task, int64_t atPs) {
  size_t depth = std::max<uint32_t>(1, tasks.getOptions().prefetchDepth), number = gathers.batchOf[task];
  if (std::exchange(isTaken[number], 1) || number + depth >= gathers.batches.size())
    return;
  for (uint32_t next : gathers.batches[number + depth])
    unblock(next, atPs);
}

void BlockRun::finish(uint32_t task, int64_t at) {
  // Tasks that take no time release others at once. Uses a stack, not recursion, since such sequences are long.
  llvm::SmallVector<std::pair<uint32_t, int64_t>, 16> done{{task, at}};
  while (!done.empty()) {
    auto [current, end] = done.pop_back_val();
    ++numDone;
    endPs = std::max(endPs, end);
    if (!gathers.fenced.empty())
      for (uint32_t number : gathers.fenced[current])
        for (uint32_t member : gathers.batches[number])
          unblock(member, end);
    for (uint32_t next : getTask(current).successors) {
      if (isGather(next))
        continue;
      readyPs[next] = std::max(readyPs[next], end);
      if (--pending[next] != 0)
        continue;
      if (tasks.isTimeless(getTask(next)))
        done.push_back({next, readyPs[next]});
      else
        release(next);
    }
  }
}

/// Gathered values are there when all of their batch are.
void BlockRun::finishNetwork(uint32_t task, int64_t at) {
  if (!isGather(task))
    return finish(task, at);
  uint32_t number = gathers.batchOf[task];
  if (--missing[number] == 0)
    for (uint32_t member : gathers.batches[number])
      finish(member, at);
}

//===----------------------------------------------------------------------===//
// Compute
//===----------------------------------------------------------------------===//

/// Queues the next tasks of compute in program order, as far as they can begin.
void BlockRun::advanceOrdered() {
  for (; nextOrdered < block.tasks.size(); ++nextOrdered) {
    if (!isComputed(getTask(nextOrdered)) || isBehindLate[nextOrdered])
      continue;
    if (pending[nextOrdered] != 0)
      return;
    orderedPs = std::max(orderedPs, readyPs[nextOrdered]);
    computeWaiting.push({orderedPs, nextOrdered});
  }
}

int64_t BlockRun::getNextComputePs() const {
  if (!computeReady.empty())
    return computeFreePs;
  return computeWaiting.empty() ? INT64_MAX : std::max(computeFreePs, computeWaiting.top().readyPs);
}

/// Runs a task that compute waits for. Returns how long it takes.
int64_t BlockRun::runTask(uint32_t index, int64_t startPs) {
  const Task &task = getTask(index);
  if (!task.blocks.empty()) {
    BlockTimeline inner = runCompound(task, issueStartPs.empty() ? 0 : issueStartPs[index] - startPs);
    network.occupy(startPs, std::min(inner.networkPs, inner.durationPs));
    result.add(inner, startPs, 1);
    return inner.durationPs;
  }
  int64_t duration = tasks.getDuration(task);
  uint32_t stream = tasks.getStream(task);
  result.events.push_back({stream, startPs, startPs + duration, task.op, task.reshard, RegionId(), 0});
  result.busyPs[stream] += duration;
  if (int64_t besidePs = std::min(tasks.getBesidePs(task), duration); besidePs > 0) {
    network.occupy(startPs, besidePs);
    result.networkPs += besidePs;
  }
  if (stream != computeStream) {
    network.occupy(startPs, duration);
    result.networkPs += duration;
    if (task.reshard.isValid())
      result.exposures.push_back({task.reshard, duration});
  }
  return duration;
}

void BlockRun::startCompute(int64_t startPs) {
  while (!computeWaiting.empty() && computeWaiting.top().readyPs <= startPs) {
    computeReady.push(computeWaiting.top().task);
    computeWaiting.pop();
  }
  uint32_t index = computeReady.top();
  computeReady.pop();
  if (startPs > computeFreePs) {
    network.serve(startPs);
    network.accountIdle(computeFreePs, startPs);
  }
  if (!gathers.taken.empty())
    for (uint32_t value : gathers.taken[index])
      takeGathered(value, startPs);
  computeFreePs = startPs + runTask(index, startPs);
  finish(index, computeFreePs);
}

BlockTimeline BlockRun::run() {
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    pending[task] = getTask(task).numPredecessors;
  issueTasks();
  addGathers();
  addReductions();
  findOrdered();
  // A task is released when its last predecessor ends, so only those without predecessors are released here.
  std::vector<uint32_t> first;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (pending[task] == 0)
      first.push_back(task);
  for (uint32_t task : first)
    release(task);
  while (true) {
    int64_t computePs = getNextComputePs(), nextPs = network.findNextPs();
    if (std::min(computePs, nextPs) == INT64_MAX) {
      if (!releaseBlockedGathers() && !releaseBlockedReductions())
        break;
    } else if (nextPs <= computePs) {
      if (std::optional<uint32_t> ended = network.advance(nextPs))
        finishNetwork(*ended, nextPs);
    } else {
      startCompute(computePs);
    }
  }
  assert(numDone == block.tasks.size() && "tasks wait for each other");
  result.durationPs = std::max(endPs, computeFreePs);
  network.accountIdle(computeFreePs, result.durationPs);
  network.finish();
  return std::move(result);
}

} // namespace partita::simulate
