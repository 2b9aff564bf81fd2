//===- PieceLayout.h - what a device holds of a value, in digits of its number ---===//
//
// A device's number has digits: number / stride % size. Along a dim of a value a
// device holds the piece that an ordered list of digits numbers, major to minor,
// each digit at most once in a layout. A value may be partial over more digits: the
// pieces of the devices that differ in these alone, combined, are the piece.
//
//   [{4:2}, {}] partial(add) {1:2}      dim 0 is cut by the digit of stride 4 and
//                                       size 2, and sums over the lowest digit
//
// Along a *uniform* dim all elements are equal, so that any piece of the right
// size is the right one. A digit of stride 0 stands for any digits of its size,
// where which they are does not matter for the same reason.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_PIECELAYOUT_H
#define PARTITA_VERIFY_RELATION_PIECELAYOUT_H

#include "partita/Graph/Rule.h"
#include "partita/Program/Devices.h"
#include "partita/Verify/Rooms.h"

#include <vector>

namespace partita::verify {

/// Major to minor.
using Digits = llvm::SmallVector<Digit, 1>;

/// Product of the sizes.
int64_t countParts(llvm::ArrayRef<Digit> digits);

/// The same digits with neighbours that are one digit joined and those of size 1 left out.
Digits joinDigits(llvm::ArrayRef<Digit> digits);

/// Takes digits of `parts` parts in all from the major end, splitting one if need be; nothing if that cannot be done.
std::optional<Digits> takeMajor(Digits &digits, int64_t parts);

/// The list that both are, digits of stride 0 being replaced by what stands in their place in the other; nothing if
/// they are not the same.
std::optional<Digits> unifyDigits(llvm::ArrayRef<Digit> a, llvm::ArrayRef<Digit> b);

/// Takes `suffix` off the minor end of `digits`; false if they do not end with it.
bool dropMinor(Digits &digits, llvm::ArrayRef<Digit> suffix);

/// Takes `some`, in any order, out of `digits`; false if they are not all there.
bool dropAll(Digits &digits, llvm::ArrayRef<Digit> some);

/// The set that both are, as partial digits are, whose order says nothing: digits of stride 0 in one are what is left
/// over in the other. Nothing if they are not the same.
std::optional<Digits> unifySets(llvm::ArrayRef<Digit> a, llvm::ArrayRef<Digit> b);

/// Whether the digits say different things of the number: each can have any value, whatever the others have.
bool areDisjoint(llvm::ArrayRef<Digit> digits);

/// What a device holds along one dim.
struct DimLayout {
  bool isUniform = false;
  /// Empty if it is uniform.
  Digits digits;
};

struct PieceLayout {
  std::vector<DimLayout> dims;
  /// Sorted by stride, largest first.
  Digits partial;
  Combiner combiner = Combiner::None;
  /// Nothing but zeros: a partial sum of anything, and whole as well. Nothing stands in `partial` then.
  bool isZero = false;

  PieceLayout() = default;
  explicit PieceLayout(size_t rank) : dims(rank) {}

  bool isPartial() const { return !partial.empty(); }
  /// Every digit stands once.
  bool isProper() const { return isSameAlong({}); }
  /// Devices that differ in `digits` alone hold the same.
  bool isSameAlong(llvm::ArrayRef<Digit> digits) const;
  void setZero() {
    isZero = true;
    partial.clear();
    combiner = Combiner::None;
  }
  /// Makes `digits` partial too; false if they are combined in another way.
  bool addPartial(llvm::ArrayRef<Digit> digits, Combiner newCombiner);
};

/// The layout that is both; nothing if a device holds different things.
std::optional<PieceLayout> unifyLayouts(const PieceLayout &a, const PieceLayout &b);

/// `[{4:2}, _] partial(add) {1:2}`; `_` is a uniform dim.
std::string printLayout(const PieceLayout &layout);

} // namespace partita::verify

#endif
