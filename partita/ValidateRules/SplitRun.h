//===- SplitRun.h - runs a split op on N virtual devices ------------------===//
//
// Given a rule and factors to split, a device's program is what `emitLocal`
// emits: a function of the operands' pieces and of one index for each split
// factor. All devices run it, and their results are put together as the rule
// says:
//
//   a factor of a result's dims     the pieces are concatenated
//   a reduced factor                the parts are combined
//   any other split factor          all devices have the same
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VALIDATERULES_SPLITRUN_H
#define PARTITA_VALIDATERULES_SPLITRUN_H

#include "partita/Program/Rules/Rules.h"
#include "partita/ValidateRules/OpInstance.h"
#include "partita/ValidateRules/Rooms.h"

namespace partita::validate {

/// Emits a device's part of the op: the pieces of its results.
using EmitPieces = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange operands,
                                                                     llvm::ArrayRef<Split> splits)>;

/// The program of one device, @main(pieces of operands, an index for each split). An error if it does not verify or has
/// other types than the rule says.
Result<mlir::OwningOpRef<mlir::ModuleOp>> buildLocalProgram(mlir::Operation *op, const Rule &rule,
                                                            llvm::ArrayRef<Split> splits, EmitPieces emit);

/// Where the assembled results differ from those of the whole op.
struct Difference {
  std::string reason;
  int64_t result = -1;
  /// A device that disagrees with another one; -1 if the assembled results differ.
  int64_t device = -1;
  std::string index;
  std::string expected;
  std::string got;
};

/// Runs the local program on all devices of `splits` and compares bit by bit with the whole run of `op`. NaNs must have
/// equal bits only where the op just moves elements. The sign of a zero does not count where sums have another order.
std::optional<Difference> runSplit(mlir::Operation *op, mlir::ModuleOp local, const Rule &rule,
                                   llvm::ArrayRef<Split> splits, const WholeRun &whole);

/// `a/2 b/3`: factors by the letters that they have in the rule's text.
std::string printSplits(llvm::ArrayRef<Split> splits);

} // namespace partita::validate

#endif
