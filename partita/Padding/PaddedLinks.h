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

/// Writes a slice, a pad or a concatenation, whose operands, sizes and attributes are those of its links, in ops that
/// devices can split:
///
///   slice          behind the end of its operand a pad; then, with a stride, one row of each block
///   pad            a block for each row; then the blocks move
///   concatenation  operands as they lie in the result, one selected for each row
///
/// Other ops stay. Returns the first result; counts masks in `numMasks`.
mlir::Value writeLinks(const PaddedOp &padded, int64_t &numMasks);

} // namespace partita::padding

#endif
