//===- PiecedCollectives.h - gathers and scatters beside products ---------===//
//
// A plan may run a gather in pieces, beside the products that take what it
// gathers, or the scatter of a product's sums in pieces, beside the product
// (Cost/ProductPieces.h). A plan file names them by their values:
//
//   "matmul": [
//     {"collective": "all_gather", "value": "jit(step)/add#3", "user": "jit(step)/dot_general#4"},
//     {"collective": "reduce_scatter", "value": "jit(step)/dot_general#7"}]
//
// `user` is the result of the first op that takes the gathered value.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PIECEDCOLLECTIVES_H
#define PARTITA_SCHEDULE_PIECEDCOLLECTIVES_H

#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

struct PiecedCollective {
  bool isScatter = false;
  /// Names of values; `user` is empty for a scatter.
  std::string value, user;
  SourceLocation location = {};

  /// Whether both are the same, wherever they stand.
  bool isSame(const PiecedCollective &other) const {
    return std::tie(isScatter, value, user) == std::tie(other.isScatter, other.value, other.user);
  }
  /// `all_gather` or `reduce_scatter`.
  llvm::StringRef getCollective() const { return isScatter ? "reduce_scatter" : "all_gather"; }
};

/// Reads the list. `file` is used in errors only.
Result<std::vector<PiecedCollective>> readPieced(const JsonValue &json, llvm::StringRef file);
/// Writes what `readPieced` reads.
void writePieced(llvm::ArrayRef<PiecedCollective> pieced, llvm::json::OStream &json);

} // namespace partita::schedule

#endif
