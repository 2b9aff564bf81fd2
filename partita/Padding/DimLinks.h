//===- DimLinks.h - dims of an op that become longer together -------------===//
//
// The dims of one factor have one size, or multiples of it. Where windows slide,
// or rows are cut off or added, the sizes of an op's dims differ by some rows:
//
//   a convolution of 3 without padding   48 rows -> 46 windows
//   a slice                              48 rows -> 47
//   every third row                      47 rows -> 16
//   a reversal                           47 rows -> 47, behind the padding
//   a concatenation                      5 rows and 42 -> 47
//
// No number of devices larger than 2 divides both. A *link* says which lengths
// these dims may have instead:
//
//   windows   s rows for each window, s being the stride: 48 and 48. So a piece
//             of the input has the windows of a piece of the result, but for its
//             edges, and devices can exchange these (Program/Rules/Exchanges.h).
//             What is computed behind the last window is padding. A slice with a
//             stride has windows of one row, a pad that spreads its rows as well.
//   rows      any lengths: rows move from piece to piece (Graph/RowMoves.h), those
//             of a reversal after it, as the padding comes first then.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PADDING_DIMLINKS_H
#define PARTITA_PADDING_DIMLINKS_H

#include "partita/Padding/Rooms.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace partita::padding {

/// Windows along one dim. The padding behind the elements follows from the sizes.
struct SlidingDim {
  int64_t elements = 1, windows = 1;
  int64_t length = 1, stride = 1, dilation = 1, low = 0;
  /// Elements are this far apart.
  int64_t spread = 1;

  /// The number of elements that windows read, counted from the first; more than there are if they read padding behind
  /// them.
  int64_t countRead() const;
  /// What the padding behind the elements is.
  int64_t getHigh() const;
};

struct DimLink {
  enum class Kind : uint8_t {
    Windows,
    /// Windows as long as the dim: the gradient of a convolution's kernel. Elements and the kernel become longer.
    LongWindows,
    Rows,
  };
  /// One of the dims, how many rows it has for each step, and how many it needs at least.
  struct End {
    rules::DimRef dim;
    int64_t scale = 1;
    int64_t least = 1;
  };

  Kind kind = Kind::Rows;
  /// Of operand 0; for a convolution the number among its spatial dims.
  unsigned index = 0;
  SlidingDim sliding;
  llvm::SmallVector<End, 4> ends;

  /// The smallest multiple of `multiple` with which all ends have what they need.
  int64_t countSteps(int64_t multiple) const;
  bool has(rules::DimRef dim) const;
};

/// The link of which `dim` of the op is an end; nothing if it has none.
std::optional<DimLink> findDimLink(mlir::Operation *op, rules::DimRef dim);

} // namespace partita::padding

#endif
