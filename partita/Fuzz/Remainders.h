//===- Remainders.h - what devices have of a dim that they do not divide --===//
//
// Padding makes a dim divide: each of k devices has a piece of as many rows, and
// the elements are the first n rows. A device computes with its piece by
// comparing indices with n: it masks, clamps indices, cuts rows off. So it
// matters whether all of its rows are elements, some, or none. The class of a
// remainder says which of these devices there are:
//
//   uneven         the last device has fewer elements than the others    5 over 3: 2 2 1
//   empty          the last devices have none, the others are full       6 over 4: 2 2 2 0
//   uneven+empty   both                                                  5 over 4: 2 2 1 0
//   single         each has one element or none                          3 over 4: 1 1 1 0
//
// Pieces of one row are a class of their own: a dim of size one is broadcast, and
// a window or a slice of one row takes such a piece whole. How many elements the
// last device has, one or all but one, makes no difference to a comparison.
// `make rules` tries every remainder of each op alone, over 2 to 8 devices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_REMAINDERS_H
#define PARTITA_FUZZ_REMAINDERS_H

#include "partita/Fuzz/Rooms.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace partita::fuzz {

/// A dim that was made longer: `size` with padding. A row has `inner` elements.
struct UnevenDim {
  int64_t elements = 1, size = 1;
  int64_t inner = 1;
};

inline constexpr llvm::StringLiteral remainderClasses[] = {"uneven", "empty", "uneven+empty", "single"};

/// The class of `dim` over so many devices, which divide its size.
llvm::StringRef findRemainderClass(const UnevenDim &dim, int64_t parts);

} // namespace partita::fuzz

#endif
