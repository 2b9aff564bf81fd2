//===- CustomTargets.h - what is known of custom calls by their target ----===//

#ifndef PARTITA_PROGRAM_RULES_CUSTOMTARGETS_H
#define PARTITA_PROGRAM_RULES_CUSTOMTARGETS_H

#include "partita/Program/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace partita::program::rules {

enum class TargetKind : uint8_t {
  Unknown,
  /// Each element of the results is made of the operands' elements at its place.
  Elementwise,
  /// Each of a batch is worked on alone, for leading dims of any number and size.
  Batched,
  /// Compiled for the shapes it was made with.
  ShapeBaked,
};

struct CustomTarget {
  TargetKind kind = TargetKind::Unknown;
  /// Of a batched target, how many last dims of the first operand are not batch dims.
  int64_t coreRank = 0;
};

CustomTarget findCustomTarget(llvm::StringRef name);

} // namespace partita::program::rules

#endif
