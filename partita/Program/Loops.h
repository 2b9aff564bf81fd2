//===- Loops.h - loops whose number of iterations is known ----------------===//
//
// A loop is counted if its number of iterations follows from the program alone:
// a carried integer starts at a constant, changes by a constant, and is compared
// with a constant. What is said of a loop is exact, wrap-around of integers
// included; what cannot be shown is not said.
//
//   %i starts at 0, `cond { compare LT, %i, 6 }`, body yields add %i, 1
//   -> {tripCount = 6, induction = {start = 0, step = 1}, bound = 6}
//
// A value is stepped through where an op of the body takes, in iteration k, the
// slice at `first + k * stride` of one of its dims: arrays that `scan` runs over,
// backwards too, results that it stacks, caches. Other ops may see all of it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_LOOPS_H
#define PARTITA_PROGRAM_LOOPS_H

#include "mlir/IR/Value.h"
#include "partita/Program/Rooms.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace partita::stablehlo {
class WhileOp;
} // namespace partita::stablehlo

namespace partita::program {

/// A carried integer that is `start + k * step` in iteration k.
struct LoopCounter {
  unsigned carried;
  int64_t start;
  int64_t step;
};

/// One way in which the body reads or writes a value slice by slice.
struct SteppedOperand {
  /// The body's argument, or a value from outside of the loop.
  mlir::Value value;
  /// Which carried value it is; nothing if it comes from outside.
  std::optional<unsigned> carried;
  int64_t dim;
  /// Iteration k touches `sliceSize` elements of the dim, from `first + k * stride` on; never out of bounds.
  int64_t first;
  int64_t stride;
  int64_t sliceSize;
  bool isRead = false;
  /// The slice is updated, and the result is what the next iteration receives.
  bool isWritten = false;

  bool isReversed() const { return stride < 0; }
};

struct CountedLoop {
  int64_t tripCount;
  /// The counter that the condition tests.
  LoopCounter induction;
  /// The induction value for which the condition fails: `start + tripCount * step`.
  int64_t bound;
  /// All counters, the induction value among them, by their place among the carried values.
  llvm::SmallVector<LoopCounter> counters;
  llvm::SmallVector<SteppedOperand> stepped;
};

/// What is known of `loop`; nothing if its iterations cannot be counted, with the reason in `whyNot` if it is given.
std::optional<CountedLoop> analyzeLoop(stablehlo::WhileOp loop, std::string *whyNot = nullptr);

} // namespace partita::program

#endif
