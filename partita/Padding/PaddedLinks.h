//===- PaddedLinks.h - ops whose links become longer ----------------------===//

#ifndef PARTITA_PADDING_PADDEDLINKS_H
#define PARTITA_PADDING_PADDEDLINKS_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Padding/PaddedOps.h"

namespace partita::padding {

/// Dims of an operand whose padding shows in elements of the result.
struct SeenPadding {
  unsigned operand;
  llvm::SmallVector<unsigned> dims;
  /// The operand, a scalar, that changes nothing; nothing if that is zero.
  std::optional<unsigned> neutral;
};

/// One entry for each operand that has such dims.
std::vector<SeenPadding> findSeenPadding(const PaddedOp &padded);

/// States the padding of windows, and of pads, for the links' sizes.
void resizeWindows(const PaddedOp &padded);

/// A slice whose limits may lie behind its operand, as a pad where they do. Returns the result.
mlir::Value extendSlice(stablehlo::SliceOp slice);

} // namespace partita::padding

#endif
