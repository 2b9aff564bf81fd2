//===- BodyMatch.h - matches bodies of manual computations ----------------===//
//
// The body of a manual computation in the original is already code for one
// device. The local program contains the same ops in place of the computation,
// with other channels. Their operands must be the pieces that the in_shardings
// describe; their results are the pieces of the out_shardings. So the check
// compares op by op and interprets nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_BODYMATCH_H
#define PARTITA_VERIFY_RELATION_BODYMATCH_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Support/Error.h"
#include "partita/Verify/Rooms.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::verify {

/// Whether two ops are the same apart from operands, types, channel numbers and shardings. Regions are compared op by
/// op; values from outside must be identical.
bool isSameCollective(mlir::Operation *a, mlir::Operation *b);

/// An error if the check does not support the computation: it returns one value twice, with different shardings.
Status checkManual(sdy::ManualComputationOp manual);

/// The operand that result `index` passes on unchanged and with the same sharding; nothing if it is another value.
std::optional<unsigned> findPassedOperand(sdy::ManualComputationOp manual, unsigned index);

/// A copy of a manual computation's body in a local program.
struct BodyMatch {
  /// Past the last op of the copy.
  mlir::Block::iterator end;
  /// The copy's value of each result of the computation; null for operands that are passed on.
  llvm::SmallVector<mlir::Value> results;
};

/// The copy that begins with the op at `begin`, if there is one. `isOperand(i, value)` says whether a value is the
/// piece of operand i that the computation takes.
std::optional<BodyMatch> matchBody(sdy::ManualComputationOp manual, mlir::Block::iterator begin,
                                   llvm::function_ref<bool(unsigned, mlir::Value)> isOperand);

/// The manual computations of a block of the original whose copies have not been found in the local block yet, in
/// order.
class PendingManuals {
public:
  PendingManuals(mlir::Block &original, mlir::Block &local);

  /// The computation whose body may begin with `op`. If the local program has the location of the body's first op, the
  /// body begins there and nowhere else.
  sdy::ManualComputationOp find(mlir::Operation *op) const;
  void advance() { ++next; }

private:
  /// Each with the first op of its body.
  llvm::SmallVector<std::pair<sdy::ManualComputationOp, mlir::Operation *>> list;
  llvm::DenseSet<mlir::Location> localLocations;
  size_t next = 0;
};

} // namespace partita::verify

#endif
