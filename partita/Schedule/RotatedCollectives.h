//===- RotatedCollectives.h - collectives of a loop in other iterations ---===//
//
// A plan may gather for the next iteration of a loop while this one computes, and
// reduce gradients of the iteration before (Cost/LoopRotation.h,
// Cost/CarriedReductions.h). A plan file names such collectives by their values:
//
//   "rotate": [{"value": "jit(step)/while/body/dynamic_slice#3", "user": "jit(step)/while/body/dot_general"},
//              {"value": "jit(step)/while/body/transpose#7"}]
//
// `user` is the result of the first op that takes a gathered value; reductions
// have none.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_ROTATEDCOLLECTIVES_H
#define PARTITA_SCHEDULE_ROTATEDCOLLECTIVES_H

#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

struct RotatedCollective {
  /// `user` is empty for a reduction.
  std::string value, user;
  SourceLocation location = {};

  /// Whether both are the same, wherever they stand.
  bool isSame(const RotatedCollective &other) const { return value == other.value && user == other.user; }
};

/// Reads the list. `file` is used in errors only.
Result<std::vector<RotatedCollective>> readRotated(const JsonValue &json, llvm::StringRef file);
/// Writes what `readRotated` reads.
void writeRotated(llvm::ArrayRef<RotatedCollective> rotated, llvm::json::OStream &json);

} // namespace partita::schedule

#endif
