//===- CollectiveBatches.h - collectives that run as one ------------------===//
//
// Some compilers join collectives of one kind (Machine/CollectiveOrder.h). Here
// neighbors in program order are joined as long as their results take at most so
// many bytes; one that takes more by itself is a batch of its own.
//
// Gathers whose first users stand in different segments, that is, with a fence
// between them (something that stops compute for the network, or a barrier that
// parameters pass), are not joined.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_COLLECTIVEBATCHES_H
#define PARTITA_SIMULATE_COLLECTIVEBATCHES_H

#include "partita/Simulate/Rooms.h"
#include "partita/Simulate/TimedTasks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace partita::simulate {

/// A task of a block that is a collective, the bytes of its result, and the segment in which it is used first.
struct CollectiveTask {
  uint32_t task = 0;
  int64_t bytes = 0;
  uint32_t segment = 0;
};

/// Tasks in program order.
using Batch = llvm::SmallVector<uint32_t, 2>;

/// Which end of the list has the batch that is full.
enum class BatchOrder : uint8_t { FirstIsFull, LastIsFull };

/// The tasks, which are in program order, in batches of one segment and at most `maxBytes`; one in each if that is 0.
std::vector<Batch> joinCollectives(llvm::ArrayRef<CollectiveTask> tasks, int64_t maxBytes, BatchOrder order);

/// The gathers of parameters of a block.
struct GatherBatches {
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<Batch> batches;
  /// For each task, its batch; none if it is no gather.
  std::vector<uint32_t> batchOf;
  /// For each task, the gathers that it waits for, also through tasks that take no time. Empty if there are no gathers.
  std::vector<llvm::SmallVector<uint32_t, 2>> taken;
  /// For each task, the batches that begin behind it. Empty if gathers pass everything.
  std::vector<llvm::SmallVector<uint32_t, 1>> fenced;
};

GatherBatches findGatherBatches(const TimedTasks &tasks, const Block &block);

/// The late reductions of a block in batches; compute waits for the last one. In loops one batch of those that end the
/// iteration, if there are such; the others begin when they can.
std::vector<Batch> findReductionBatches(const TimedTasks &tasks, const Block &block);

} // namespace partita::simulate

#endif
