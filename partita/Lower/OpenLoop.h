//===- OpenLoop.h - a loop that is being lowered --------------------------===//

#ifndef PARTITA_LOWER_OPENLOOP_H
#define PARTITA_LOWER_OPENLOOP_H

#include "partita/Cost/Reshards.h"
#include "partita/Lower/CarriedReductions.h"

#include "llvm/ADT/DenseSet.h"

namespace partita::lower {

struct OpenLoop {
  RegionId region;
  /// A small carried value that changes from one iteration to the next; null if there is none.
  mlir::Value changing;
  /// Carried values that are passed on unchanged.
  llvm::SmallDenseSet<uint32_t> unchanged;
  /// Gathered values that are to be computed an iteration ahead.
  std::vector<std::pair<ReshardId, mlir::Value>> gathered;
  /// Reductions that are to be made an iteration later, and the op in the middle that waits for them, with what it
  /// gives.
  std::vector<std::pair<ReshardId, LoopReduction>> reduced;
  OpId middleOp;
  mlir::Value middle;

  bool isRotated() const { return !gathered.empty() || !reduced.empty(); }
};

/// Of a loop `op` of the program, with the block that is to be its condition or its body.
OpenLoop openLoop(stablehlo::WhileOp op, mlir::Block &block, llvm::ArrayRef<CellId> carried, RegionId region);

/// A loop with collectives in other iterations.
struct RotatedLoop {
  llvm::SmallVector<mlir::Value> results;
  /// The loop, or the last op behind it that belongs to it.
  mlir::Operation *last = nullptr;
  /// Collectives that stay in their iterations: the loop does not allow it.
  std::vector<ReshardId> refused;
};

/// Replaces `loop`, as `open` says.
RotatedLoop rotateLoop(stablehlo::WhileOp loop, const OpenLoop &open);

} // namespace partita::lower

#endif
