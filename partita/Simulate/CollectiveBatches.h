//===- CollectiveBatches.h - collectives that run as one ------------------===//
//
// Some compilers join collectives of one kind (Machine/CollectiveOrder.h). Here
// neighbors in program order are joined as long as their results take at most so
// many bytes; one that takes more by itself is a batch of its own.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SIMULATE_COLLECTIVEBATCHES_H
#define PARTITA_SIMULATE_COLLECTIVEBATCHES_H

#include "partita/Simulate/Rooms.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace partita::simulate {

/// A task of a block that is a collective, and the bytes of its result.
struct CollectiveTask {
  uint32_t task = 0;
  int64_t bytes = 0;
};

/// Tasks in program order.
using Batch = llvm::SmallVector<uint32_t, 2>;

/// Which end of the list has the batch that is full.
enum class BatchOrder : uint8_t { FirstIsFull, LastIsFull };

/// The tasks, which are in program order, in batches of at most `maxBytes`; one in each if that is 0.
std::vector<Batch> joinCollectives(llvm::ArrayRef<CollectiveTask> tasks, int64_t maxBytes, BatchOrder order);

} // namespace partita::simulate

#endif
