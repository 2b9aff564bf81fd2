//===- LoopRewriter.h - writes stacks and cones of layer loops ------------===//
//
//   keep       the forward loop writes a stack of the value, the backward loop
//              reads it where it computed the value again
//   recompute  the backward loop computes what it read from a stack, by a copy of
//              the forward body's cone
//
// What the cone reads in iteration k of the forward loop is found in the backward
// body: a value of the same number; or it is read from a stack that is kept, or
// carried along unchanged; what the forward loop carries from layer to layer gets
// a stack. What is read from stacks and the carried cotangents pass one barrier,
// so that nothing is computed again before it is needed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_LOOPREWRITER_H
#define PARTITA_REMAT_LOOPREWRITER_H

#include "partita/Remat/Cone.h"
#include "partita/Remat/LayerLoops.h"
#include "partita/Remat/Rematerialize.h"
#include "partita/Remat/Rooms.h"
#include "partita/Remat/ValueNumbers.h"

#include "mlir/IR/IRMapping.h"

namespace partita::remat {

/// A value of the forward body, and those of the backward body that equal it.
struct KeptInLoop {
  mlir::Value forward;
  std::vector<mlir::Value> backward;
};

/// What is to be done to a pair of loops.
struct LoopRequest {
  std::vector<KeptInLoop> keep;
  /// Positions in LayerLoops::stacks.
  std::vector<size_t> recompute;
};

/// Finds the cone that computes what some stacks of a pair hold. Built before anything is rewritten, since numbers are
/// of the values that there were then.
class LoopCones {
public:
  LoopCones(const LayerLoops &pair, const ValueNumbers &numbers);

  /// The first op of the backward body that uses what these stacks hold; null if there is none.
  mlir::Operation *findFirstUse(llvm::ArrayRef<size_t> stacks) const;
  /// The cone of these stacks in the forward body, if it is copied before `end`. All other stacks, and `kept`, are
  /// kept. `excluded` are values of the backward body that it must not start from.
  Cone find(llvm::ArrayRef<size_t> stacks, llvm::ArrayRef<KeptInLoop> kept, const llvm::DenseSet<mlir::Value> &excluded,
            mlir::Operation *end) const;
  /// The values of the backward body that depend on these stacks, and those that nothing uses any more.
  llvm::DenseSet<mlir::Value> findExcluded(llvm::ArrayRef<size_t> stacks) const;
  /// A value of the backward body that equals `value` of the forward body, stands before `end` and is not among
  /// `excluded`; null if there is none.
  mlir::Value findEqual(mlir::Value value, const llvm::DenseSet<mlir::Value> &excluded, mlir::Operation *end) const;

private:
  const LayerLoops &pair;
  const ValueNumbers &numbers;
  /// The values of the backward body by number, in program order.
  llvm::DenseMap<uint32_t, llvm::SmallVector<mlir::Value, 1>> backwardValues;
  /// The stack that holds a value of the forward body.
  llvm::DenseMap<mlir::Value, size_t> stackOf;
};

/// Rewrites the pair, whose loops are replaced. What is dead then stays. An error names the op that must not run again.
Status rewriteLoops(LayerLoops &pair, const LoopCones &cones, const LoopRequest &request, RematReport &report);

} // namespace partita::remat

#endif
