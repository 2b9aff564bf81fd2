//===- CollectiveBatches.cpp - collectives that run as one ----------------===//

#include "partita/Simulate/CollectiveBatches.h"

#include <algorithm>
#include <utility>

namespace partita::simulate {

std::vector<Batch> joinCollectives(llvm::ArrayRef<CollectiveTask> tasks, int64_t maxBytes, BatchOrder order) {
  bool isReversed = order == BatchOrder::LastIsFull;
  std::vector<Batch> batches;
  int64_t room = 0;
  uint32_t segment = 0;
  for (size_t number = 0; number < tasks.size(); ++number) {
    const CollectiveTask &next = tasks[isReversed ? tasks.size() - 1 - number : number];
    if (batches.empty() || maxBytes == 0 || next.bytes > room || next.segment != segment) {
      batches.emplace_back();
      room = maxBytes;
      segment = next.segment;
    }
    batches.back().push_back(next.task);
    room -= next.bytes;
  }
  if (isReversed) {
    for (Batch &batch : batches)
      std::reverse(batch.begin(), batch.end());
    std::reverse(batches.begin(), batches.end());
  }
  return batches;
}

/// Finds the users of each gathered value: the first ops that take time, after ops that take none.
static void findTakers(const TimedTasks &tasks, const Block &block, llvm::ArrayRef<uint32_t> gathers,
                       std::vector<llvm::SmallVector<uint32_t, 2>> &taken) {
  taken.resize(block.tasks.size());
  std::vector<uint32_t> seenBy(block.tasks.size(), UINT32_MAX);
  for (uint32_t value : gathers) {
    llvm::SmallVector<uint32_t, 8> open{value};
    bool isTaken = false;
    while (!open.empty())
      for (uint32_t next : block.tasks[open.pop_back_val()].successors) {
        if (std::exchange(seenBy[next], value) == value)
          continue;
        if (tasks.isTimeless(block.tasks[next])) {
          open.push_back(next);
          continue;
        }
        taken[next].push_back(value);
        isTaken = true;
      }
    if (!isTaken)
      taken[value].push_back(value);
  }
}

GatherBatches findGatherBatches(const TimedTasks &tasks, const Block &block) {
  GatherBatches result;
  result.batchOf.assign(block.tasks.size(), GatherBatches::none);
  std::vector<uint32_t> gathers;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (tasks.isPrefetched(block.tasks[task]) && tasks.getDuration(block.tasks[task]) > 0)
      gathers.push_back(task);
  if (gathers.empty())
    return result;
  findTakers(tasks, block, gathers, result.taken);
  // For each gather, the number of fences before its first user; for each fence, the tasks that it consists of.
  const CollectiveOrder &order = tasks.getOptions().order;
  std::vector<uint32_t> segments(block.tasks.size(), GatherBatches::none);
  std::vector<llvm::SmallVector<uint32_t, 2>> fences;
  llvm::SmallVector<uint32_t, 2> awaited;
  for (uint32_t task = 0; task < block.tasks.size(); ++task) {
    for (uint32_t value : result.taken[task])
      segments[value] = std::min(segments[value], static_cast<uint32_t>(fences.size()));
    if (!order.isOneAtATime)
      continue;
    GatherFencePart part = tasks.getGatherFence(block.tasks[task]);
    if (part.isAwaited)
      awaited.push_back(task);
    if (part.isLast)
      fences.push_back(std::exchange(awaited, {}));
    else if (tasks.isFence(block.tasks[task]))
      fences.push_back({task});
  }
  std::vector<CollectiveTask> list;
  for (uint32_t task : gathers)
    list.push_back({task, tasks.getBytes(block.tasks[task]), segments[task]});
  result.batches = joinCollectives(list, order.combineBytes, BatchOrder::FirstIsFull);
  if (order.isOneAtATime)
    result.fenced.resize(block.tasks.size());
  for (uint32_t number = 0; number < result.batches.size(); ++number) {
    for (uint32_t task : result.batches[number])
      result.batchOf[task] = number;
    if (uint32_t segment = segments[result.batches[number].front()]; segment > 0)
      for (uint32_t task : fences[segment - 1])
        result.fenced[task].push_back(number);
  }
  return result;
}

std::vector<Batch> findReductionBatches(const TimedTasks &tasks, const Block &block) {
  int64_t combineBytes = tasks.getOptions().order.combineBytes;
  if (combineBytes == 0)
    return {};
  if (block.region.get() != 0) {
    Batch atEnd;
    for (uint32_t task = 0; task < block.tasks.size(); ++task)
      if (tasks.endsIteration(block.tasks[task]) && tasks.getDuration(block.tasks[task]) > 0)
        atEnd.push_back(task);
    return atEnd.empty() ? std::vector<Batch>() : std::vector<Batch>{atEnd};
  }
  std::vector<CollectiveTask> late;
  for (uint32_t task = 0; task < block.tasks.size(); ++task)
    if (tasks.isLate(block.tasks[task]) && tasks.getDuration(block.tasks[task]) > 0)
      late.push_back({task, tasks.getBytes(block.tasks[task])});
  return joinCollectives(late, combineBytes, BatchOrder::LastIsFull);
}

} // namespace partita::simulate
