//===- RotatedGathers.h - gathers that a loop makes an iteration ahead ----===//
//
// A plan may gather for the next iteration of a loop while this one computes
// (Cost/LoopRotation.h). A plan file names such gathers by their values:
//
//   "rotate": [{"value": "jit(step)/while/body/dynamic_slice#3", "user": "jit(step)/while/body/dot_general"}]
//
// `user` is the result of the first op that takes the gathered value.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_ROTATEDGATHERS_H
#define PARTITA_SCHEDULE_ROTATEDGATHERS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

struct RotatedGather {
  std::string value, user;
  SourceLocation location = {};

  /// Whether both are the same, wherever they stand.
  bool isSame(const RotatedGather &other) const { return value == other.value && user == other.user; }
};

/// Reads the list. `file` is used in errors only.
Result<std::vector<RotatedGather>> readRotated(const JsonValue &json, llvm::StringRef file);
/// Writes what `readRotated` reads.
void writeRotated(llvm::ArrayRef<RotatedGather> rotated, llvm::json::OStream &json);

} // namespace partita::schedule

#endif
