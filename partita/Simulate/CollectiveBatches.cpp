//===- CollectiveBatches.cpp - collectives that run as one ----------------===//

#include "partita/Simulate/CollectiveBatches.h"

#include <algorithm>

namespace partita::simulate {

std::vector<Batch> joinCollectives(llvm::ArrayRef<CollectiveTask> tasks, int64_t maxBytes, BatchOrder order) {
  bool isReversed = order == BatchOrder::LastIsFull;
  std::vector<Batch> batches;
  int64_t room = 0;
  for (size_t number = 0; number < tasks.size(); ++number) {
    const CollectiveTask &next = tasks[isReversed ? tasks.size() - 1 - number : number];
    if (batches.empty() || maxBytes == 0 || next.bytes > room) {
      batches.emplace_back();
      room = maxBytes;
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

} // namespace partita::simulate
