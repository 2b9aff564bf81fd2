//===- RunningSums.h - sums that a layer loop continues -------------------===//
//
// A layer loop carries gradients: it starts at zeros and writes those of layer i
// to slice i, or adds to a sum. If nothing else in the turn needs them, the loop
// may start at the sum over the microbatches before instead, and read, add and
// update: there is one buffer for the gradients, not two. The same if the loop
// already starts at a sum, that of an accumulation around it, to which it adds.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_RUNNINGSUMS_H
#define PARTITA_TEMPORAL_RUNNINGSUMS_H

#include "partita/Temporal/Placement.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

struct RunningSum {
  /// The op in the loop's body that adds to the carried value, or writes a slice of it.
  OpId update;
  /// It writes: it must read and add first.
  bool isStack = false;
  /// What the first microbatch starts from; invalid if that is zero.
  CellId initial = CellId();
};

/// How the loop that carries `output` can continue its sum; nothing if it cannot.
std::optional<RunningSum> findRunningSum(const MicroProgram &program, const Units &units, const Forms &forms,
                                         const MicroPlacement &placement, const LoopOutput &output);

} // namespace partita::temporal

#endif
