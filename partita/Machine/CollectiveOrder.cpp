//===- CollectiveOrder.cpp - how a platform runs collectives beside compute ===//

#include "partita/Machine/CollectiveOrder.h"

#include "llvm/ADT/StringSwitch.h"

namespace partita::machine {

CollectiveOrder getCollectiveOrder(const Machine &machine) {
  // XLA's xla_gpu_{all_gather,reduce_scatter,all_reduce}_combine_threshold_bytes are 30 MiB unless they are set.
  constexpr int64_t threshold = int64_t(30) << 20;
  return llvm::StringSwitch<CollectiveOrder>(machine.platform)
      .Cases({"cuda", "rocm"}, {threshold, true})
      .Default(CollectiveOrder());
}

} // namespace partita::machine
