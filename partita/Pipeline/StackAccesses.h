//===- StackAccesses.h - how a layer loop steps through its stacks --------===//
//
// A stack holds something of each of L layers along one dim: iteration k of the
// loop reads and writes the k-th of L equal parts, from the first on or from the
// last, and nothing else. All that is said here is proven (Program/LoopAffine.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PIPELINE_STACKACCESSES_H
#define PARTITA_PIPELINE_STACKACCESSES_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Pipeline/Rooms.h"
#include "partita/Program/LoopAffine.h"
#include "partita/Program/Loops.h"

namespace partita::pipeline {

/// What one op reads or writes of a stack.
struct StackAccess {
  unsigned dim = 0;
  /// The start along the dim, in layer k.
  Affine index;
};

/// The slices and updates of one value, in all versions that updates make of it.
struct ValueAccesses {
  std::vector<std::pair<mlir::Operation *, StackAccess>> list;
  bool isWritten = false;
  /// Nothing else uses it.
  bool isComplete = true;
};

/// The accesses of all values that a layer loop may step through.
struct LoopAccesses {
  /// For each value that the loop carries.
  std::vector<ValueAccesses> carried;
  /// Values from outside that the loop slices without carrying them.
  std::vector<std::pair<mlir::Value, ValueAccesses>> outer;
  /// Stacks are stepped through from the end; nothing if there are none.
  std::optional<bool> isReversed;

  /// Whether the accesses make a stack that is stepped through in the loop's direction.
  bool isStack(const ValueAccesses &accesses) const;
};

LoopAccesses findStackAccesses(stablehlo::WhileOp loop, const CountedLoop &count);

} // namespace partita::pipeline

#endif
