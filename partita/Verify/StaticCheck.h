//===- StaticCheck.h - checks local programs without running them ---------===//
//
// The static check proves, op by op, that a local program computes the
// original, for all inputs (Relation/). These are its two entries: for any
// local program, and for the output of lowering.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_STATICCHECK_H
#define PARTITA_VERIFY_STATICCHECK_H

#include "partita/Verify/Relation/RelationCheck.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// The result of the static check.
struct StaticCheck {
  RelationCounts counts;
  /// Collectives in the local program.
  int64_t collectives = 0;
  /// Why the local program is refused (exit code 1).
  Status difference;
};

/// Checks any local program against the original. An error if the check does not support the program. `rules` come from
/// --rule.
Result<StaticCheck> checkStatically(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules);

/// The same for the output of lowering. A failure is a defect of ours: an internal error at the location of the op.
/// Returns whether the program was checked; the check does not support all programs (huge meshes, for one).
Result<bool> checkLowered(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules);

} // namespace partita::verify

#endif
