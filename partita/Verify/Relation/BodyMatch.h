//===- BodyMatch.h - bodies of manual computations, op by op --------------===//
//
// The body of a manual computation of the original is code for a device: the
// local program has it as it is, its ops one after the other in the place of the
// computation, with channels of its own. What it takes must be the pieces that
// the computation's in_shardings say; what it gives are those of its
// out_shardings. So it is compared, op by op, and nothing of it is interpreted.
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

/// Whether two ops are the same but for their operands, types, channels' numbers and shardings; regions are compared
/// op by op, with what they take from outside being the same values.
bool isSameCollective(mlir::Operation *a, mlir::Operation *b);

/// An error if the check does not know the computation: what it gives is given twice, in different shardings.
Status checkManual(sdy::ManualComputationOp manual);

/// The number of the operand that result `index` is, untouched and sharded alike; nothing if it is another value.
std::optional<unsigned> findPassedOperand(sdy::ManualComputationOp manual, unsigned index);

/// A copy of a manual computation's body in a local program.
struct BodyMatch {
  /// Behind the last op of the copy.
  mlir::Block::iterator end;
  /// What the copy gives for each result of the computation; null for operands that are passed on.
  llvm::SmallVector<mlir::Value> results;
};

/// The copy that begins with the op at `begin`; nothing if there is none. `isOperand(i, value)` says whether a value
/// is the piece of operand i that the computation takes.
std::optional<BodyMatch> matchBody(sdy::ManualComputationOp manual, mlir::Block::iterator begin,
                                   llvm::function_ref<bool(unsigned, mlir::Value)> isOperand);

/// The manual computations of a block of the original that a local block has not yet shown copies of, in order.
class PendingManuals {
public:
  PendingManuals(mlir::Block &original, mlir::Block &local);

  /// The computation whose body may begin with `op`. If the place of its first op is a place of the local program, it
  /// begins there and nowhere else.
  sdy::ManualComputationOp find(mlir::Operation *op) const;
  void advance() { ++next; }

private:
  /// With the first op of each body.
  llvm::SmallVector<std::pair<sdy::ManualComputationOp, mlir::Operation *>> list;
  llvm::DenseSet<mlir::Location> places;
  size_t next = 0;
};

} // namespace partita::verify

#endif
