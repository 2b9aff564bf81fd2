//===- CustomTargets.h - known targets of custom calls --------------------===//
//
// A custom call has no rule of its own. For some targets (LAPACK, cuSOLVER,
// annotations) the name tells how the call treats its dims.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_CUSTOMTARGETS_H
#define PARTITA_PROGRAM_RULES_CUSTOMTARGETS_H

#include "partita/Program/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace partita::program::rules {

/// The frontend attribute of a call on a microbatch that says how many flops it has. Other statements are about the
/// call on the whole batch.
inline constexpr llvm::StringLiteral pieceFlopsName = "partita_piece_flops";

enum class TargetKind : uint8_t {
  Unknown,
  /// Each element of the results depends on the operands' elements at the same index.
  Elementwise,
  /// Leading dims are batch dims, of any number and size; each batch element is computed alone.
  Batched,
  /// Compiled for fixed shapes, so it cannot run on pieces.
  ShapeBaked,
};

struct CustomTarget {
  TargetKind kind = TargetKind::Unknown;
  /// For a batched target, the number of last dims of the first operand that are not batch dims.
  int64_t coreRank = 0;
  /// What it computes, as findOpKind knows it: `call.qr`. Empty if that has no price.
  llvm::StringRef opName;
};

CustomTarget findCustomTarget(llvm::StringRef name);

} // namespace partita::program::rules

#endif
