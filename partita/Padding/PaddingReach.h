//===- PaddingReach.h - which dims become longer together -----------------===//
//
// From the roots, dims that shall be padded, the padding spreads over factors:
// to every factor that may be longer (PaddableFactors.h), through it to the op's
// other dims, and around loops and branches, as a step of propagation does
// (Propagate/Propagation.h). Unlike an axis, padding may take several factors of
// one op. Where a factor may not be longer, the spread stops; the rewrite cuts
// the padding off there.
//
// Padding always lies behind the elements of a dim. A dim of `rows` groups of
// `inner` elements gets more groups, so a reshape keeps padding that lies in the
// major factor of a dim:
//
//   [12, 64] -> [768]      12 rows of 1 and of 64; padded [16, 64] -> [1024]
//
// Dims of other sizes that belong to a padded one (DimLinks.h) are roots of their
// own, for as many devices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_PADDINGREACH_H
#define PARTITA_PADDING_PADDINGREACH_H

#include "partita/Padding/DimLinks.h"
#include "partita/Padding/Rooms.h"
#include "partita/Program/Rules/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace partita::padding {

/// A dim that shall divide by `multiple`, counted in groups of `inner` elements.
struct PaddingRoot {
  mlir::Value value;
  uint32_t dim = 0;
  int64_t multiple = 1;
  int64_t inner = 1;
};

/// Dims that are padded together: each has `rows` groups of elements and gets `paddedRows`.
struct PaddingGroup {
  int64_t rows = 1;
  int64_t multiple = 1;

  int64_t getPaddedRows() const { return (rows + multiple - 1) / multiple * multiple; }
};

/// What a dim or a factor belongs to.
struct PaddedRows {
  uint32_t group = 0;
  int64_t inner = 1;
};

/// One entry for each dim of a value or each factor of an op; empty where nothing is padded.
using PaddedList = llvm::SmallVector<std::optional<PaddedRows>, 4>;

/// A link some of whose dims are padded, and what its ends belong to.
struct ReachedLink {
  DimLink link;
  llvm::SmallVector<PaddedRows, 4> rows;
};

struct PaddingReach {
  std::vector<PaddingGroup> groups;
  /// For each root.
  std::vector<uint32_t> groupOfRoot;
  /// Only looked up, never iterated.
  llvm::DenseMap<mlir::Value, PaddedList> values;
  llvm::DenseMap<mlir::Operation *, PaddedList> ops;
  /// Ops that are here are in `ops`, too.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<ReachedLink, 2>> links;
  llvm::DenseMap<mlir::Operation *, Rule> rules;

  /// The sizes of a link's ends.
  llvm::SmallVector<int64_t> getPaddedSizes(const ReachedLink &reached) const;
  int64_t getPaddedSize(const PaddedRows &rows) const { return groups[rows.group].getPaddedRows() * rows.inner; }
};

/// Values of `freeOps` depend on no argument. They are not entered: each use gets the size that it needs.
Result<PaddingReach> computeReach(llvm::ArrayRef<PaddingRoot> roots, const llvm::DenseSet<mlir::Operation *> &freeOps,
                                  const UserRules &userRules);

} // namespace partita::padding

#endif
