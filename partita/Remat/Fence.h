//===- Fence.h - what is done before a cone of straight code begins -------===//
//
// Nothing in a program says when a gradient of a weight is computed, or the loss:
// only the update, or the caller, needs them. XLA puts them off, and until they are
// computed their operands are alive: activations that a cone has just recomputed,
// of several layers at once, and the logits of the loss up to the end of the step.
// So these values pass the barrier before the next cone, too. What they pass on
// to is moved behind it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_FENCE_H
#define PARTITA_REMAT_FENCE_H

#include "partita/Remat/Rooms.h"
#include "partita/Remat/StraightCode.h"

namespace partita::remat {

/// The result of a product or a reduction that only ops from some op on need.
struct LateResult {
  mlir::Value value;
  /// Elementwise ops and movements before that op that pass it on, in program order.
  llvm::SmallVector<mlir::Operation *> users;
};

/// The late results of the ops of the block from `begin` to before `end`: of the backward pass all, of the forward pass
/// scalars. None of them, or of what passes it on, is in `taken`. Those of `passed`, results of the barrier before, are
/// the first.
std::vector<LateResult> findLateResults(const StraightCode &code, const ProgramIndex &index, mlir::Operation *begin,
                                        mlir::Operation *end, llvm::ArrayRef<mlir::Value> taken,
                                        llvm::ArrayRef<mlir::Value> passed = {});

/// What comes behind the barrier uses the late results as they passed it, `passed`; ops before it that pass them on are
/// moved there.
void passLateResults(llvm::ArrayRef<LateResult> late, mlir::ValueRange passed, mlir::Operation *barrier);

} // namespace partita::remat

#endif
