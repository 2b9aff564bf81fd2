//===- CarriedReductions.h - reductions a loop makes an iteration later ---===//
//
// XLA:GPU joins the reductions of a layer's gradients. One batch waits for the
// last gradient, and ends the iteration with nothing beside it. Here each iteration
// reduces the gradients of the one before:
//
//   while (i = 0, s = 0) {              while (i = 0, s = 0, h = 0, j = 0) {
//     %m = first half                     %r = reduce %h
//     %g = second half(%m)          =>    %m = first half
//     %r = reduce %g                      %m', %r', %i' = optimization_barrier %m, %r, %i
//     %s1 = write %r into %s at %i        %s1 = write %r' into %s at %j
//     return add(%i, 1), %s1              %g = second half(%m')
//   }                                     return add(%i, 1), %s1, %g, %i
//                                       }
//                                       write (reduce %h) into %s at %j
//
// The ops from the reductions to what the loop carries, the suffix, are the same;
// they run on what the loop carries, and once more behind it. What they take
// besides (the index) is small, and carried too. The first iteration reduces zeros,
// which leave what the loop carries as it is; so does a loop that does not run.
//
// The barrier ends the reductions in the middle of the iteration. Gathers for the
// next iteration wait for the small value that passes it (LoopRotation.h). A loop
// without a middle has none of this.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_CARRIEDREDUCTIONS_H
#define PARTITA_LOWER_CARRIEDREDUCTIONS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Lower/Rooms.h"

#include <map>

namespace partita::lower {

/// By reductions alone, `reduced` comes from `unreduced`, both in a loop's body.
struct LoopReduction {
  mlir::Value unreduced, reduced;
};

/// A loop that reduces what the iteration before has made.
struct CarriedLoop {
  stablehlo::WhileOp loop;
  /// By number, what stands behind the loop for its results that are not complete.
  std::map<unsigned, mlir::Value> completed;
  /// A small value of the body that is there when the reductions are done; null if the loop changes none, or has no
  /// middle.
  mlir::Value token;
  /// The last op that stands behind the loop for it.
  mlir::Operation *last = nullptr;
};

/// The loop that replaces `loop`; nothing if zeros do not leave what it carries as it is, or if something else sees it.
/// `middle` is a value of the body, `changing` one that it carries; both may be null.
std::optional<CarriedLoop> carryReductions(stablehlo::WhileOp loop, llvm::ArrayRef<LoopReduction> reductions,
                                           mlir::Value middle, mlir::Value changing);

} // namespace partita::lower

#endif
