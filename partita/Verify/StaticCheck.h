//===- StaticCheck.h - local programs, checked without running ------------===//

#ifndef PARTITA_VERIFY_STATICCHECK_H
#define PARTITA_VERIFY_STATICCHECK_H

#include "partita/Verify/Relation/RelationCheck.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// What the static check found.
struct StaticCheck {
  RelationCounts counts;
  /// Collectives in the local program.
  int64_t collectives = 0;
  /// Why the local program is refused: exit code 1.
  Status difference;
};

/// Holds any local program against the original; an error where the check does not know programs of this form. `rules`
/// are those of --rule.
Result<StaticCheck> checkStatically(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules);

/// The same of a local program that lowering has just made: one that fails is a defect of ours, an internal error at
/// the location of the op. Whether it was checked: there are forms of programs, such as huge meshes, that the check
/// does not know.
Result<bool> checkLowered(mlir::ModuleOp original, mlir::ModuleOp local, llvm::ArrayRef<std::string> rules);

} // namespace partita::verify

#endif
