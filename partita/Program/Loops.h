//===- Loops.h - loops whose number of iterations is known ----------------===//
//
// A loop is counted if its number of iterations follows from the program alone:
// a carried integer starts at a constant, changes by a constant, and is
// compared with a constant. All results are proven, including that integers do
// not wrap around; what cannot be proven is left out.
//
//   %i starts at 0, `cond { compare LT, %i, 6 }`, body yields add %i, 1
//   -> {tripCount = 6, induction = {start = 0, step = 1}, bound = 6}
//
// The body steps through a value if one of its ops accesses, in iteration k,
// the slice at `first + k * stride` of one dim: arrays that `scan` runs over,
// also backwards, results that it stacks, caches. Other ops may use the whole
// value.
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
  /// An argument of the body, or a value defined outside of the loop.
  mlir::Value value;
  /// Which carried value it is; nothing if it comes from outside.
  std::optional<unsigned> carried;
  int64_t dim;
  /// Iteration k touches `sliceSize` elements of the dim, from `first + k * stride` on; never out of bounds.
  int64_t first;
  int64_t stride;
  int64_t sliceSize;
  bool isRead = false;
  /// The op updates the slice, and the next iteration receives the result.
  bool isWritten = false;

  bool isReversed() const { return stride < 0; }
};

struct CountedLoop {
  int64_t tripCount;
  /// The counter that the condition tests.
  LoopCounter induction;
  /// The induction value for which the condition fails: `start + tripCount * step`.
  int64_t bound;
  /// All counters, including the induction value, in the order of the carried values.
  llvm::SmallVector<LoopCounter> counters;
  llvm::SmallVector<SteppedOperand> stepped;
};

/// Analyzes `loop`. Nothing if its iterations cannot be counted; `whyNot`, if not null, then gets the reason.
std::optional<CountedLoop> analyzeLoop(stablehlo::WhileOp loop, std::string *whyNot = nullptr);

} // namespace partita::program

#endif
