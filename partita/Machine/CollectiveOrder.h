//===- CollectiveOrder.h - how a platform runs collectives beside compute -===//
//
// XLA joins collectives of one kind that do not depend on each other into one, as
// long as their results take at most so many bytes: a batch. A batch of gathers
// ends before the first op that needs any of them, and a batch of reductions
// begins when the last operand is there. XLA:GPU also has one collective under
// way at a time and places it from its use backwards, so a gather begins behind
// the last collective before its use that compute waits for.
//
// These are habits of the compiler, not figures of a device (docs/gpu.md).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_COLLECTIVEORDER_H
#define PARTITA_MACHINE_COLLECTIVEORDER_H

#include "partita/Machine/Machine.h"
#include "partita/Machine/Rooms.h"

namespace partita::machine {

struct CollectiveOrder {
  /// The most bytes of a batch's results; 0: nothing is joined.
  int64_t combineBytes = 0;
  /// Whether a gather does not pass a collective that compute waits for.
  bool isOneAtATime = false;
};

/// That of the machine's platform.
CollectiveOrder getCollectiveOrder(const Machine &machine);

} // namespace partita::machine

#endif
