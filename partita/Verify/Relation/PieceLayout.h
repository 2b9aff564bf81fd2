//===- PieceLayout.h - which piece of a value a device holds --------------===//
//
// A digit of a device's number is number / stride % size. For each dim of a
// value, an ordered list of digits, major to minor, gives the number of the
// piece that the device holds. Each digit occurs at most once in a layout. A
// value may be partial over further digits: combining the devices that differ
// only in these gives the piece.
//
//   [{4:2}, {}] partial(add) {1:2}      dim 0 is cut by the digit of stride 4 and
//                                       size 2, and sums over the lowest digit
//
// A digit may be shifted: {4:2+1} is (digit + 1) % 2. So a device holds the piece of
// its neighbor, which a permute brought.
//
// Along a *uniform* dim all elements are equal, so any piece of the right size
// is the right one. A digit of stride 0 stands for any digits of its size,
// where for the same reason it does not matter which.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_PIECELAYOUT_H
#define PARTITA_VERIFY_RELATION_PIECELAYOUT_H

#include "partita/Graph/Rule.h"
#include "partita/Program/Devices.h"
#include "partita/Verify/Rooms.h"

#include <vector>

namespace partita::verify {

/// A digit of the device's number: number / stride % size; with a shift, (number / stride + shift) % size.
struct PieceDigit {
  int64_t stride;
  int64_t size;
  int64_t shift = 0;
};

/// The mixed-radix number of a device's `digits`, major to minor.
int64_t computeNumber(int64_t device, llvm::ArrayRef<PieceDigit> digits);

/// Major to minor.
using Digits = llvm::SmallVector<PieceDigit, 1>;

/// Product of the sizes.
int64_t countParts(llvm::ArrayRef<PieceDigit> digits);

/// The same digits, with neighbors joined if they form one digit, and without digits of size 1.
Digits joinDigits(llvm::ArrayRef<PieceDigit> digits);

/// Removes digits of `parts` parts in all from the major end, and splits a digit if needed. Nothing if that is
/// impossible.
std::optional<Digits> takeMajor(Digits &digits, int64_t parts);

/// The list that equals both, with digits of stride 0 replaced by those of the other list. Nothing if they differ.
std::optional<Digits> unifyDigits(llvm::ArrayRef<PieceDigit> a, llvm::ArrayRef<PieceDigit> b);

/// Removes `suffix` from the minor end of `digits`; false if they do not end with it.
bool dropMinor(Digits &digits, llvm::ArrayRef<PieceDigit> suffix);

/// Removes `some`, in any order, from `digits`; false if they are not all there.
bool dropAll(Digits &digits, llvm::ArrayRef<PieceDigit> some);

/// The same for sets, such as partial digits, whose order does not matter: digits of stride 0 in one stand for what is
/// left over in the other. Nothing if they differ.
std::optional<Digits> unifySets(llvm::ArrayRef<PieceDigit> a, llvm::ArrayRef<PieceDigit> b);

/// What two digits have in common, whatever their shifts, if it is a digit.
std::optional<PieceDigit> findCommon(const PieceDigit &a, const PieceDigit &b);

/// Whether the digits are independent: each can have any value, whatever the others are.
bool areDisjoint(llvm::ArrayRef<PieceDigit> digits);

/// Digits of `parts` parts in all for which `fits` holds, for devices 0 to `numDevices` - 1: the shortest such list.
/// Nothing if there is none, or none among the first thousands.
std::optional<Digits> searchDigits(int64_t numDevices, int64_t parts, llvm::function_ref<bool(const Digits &)> fits);

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
  /// All zeros: a partial sum over any digits, and also whole. `partial` is empty then.
  bool isZero = false;

  PieceLayout() = default;
  explicit PieceLayout(size_t rank) : dims(rank) {}

  bool isPartial() const { return !partial.empty(); }
  /// Every digit occurs at most once.
  bool isProper() const { return isSameAlong({}); }
  /// The same for the digits of each dim and the partial ones. Two dims may have a digit in common: each device still
  /// holds one piece, but not every piece is there.
  bool isConsistent() const;
  /// Whether devices that differ only in `digits` hold the same.
  bool isSameAlong(llvm::ArrayRef<PieceDigit> digits) const;
  void setZero() {
    isZero = true;
    partial.clear();
    combiner = Combiner::None;
  }
  /// Makes `digits` partial too; false if the layout has another combiner.
  bool addPartial(llvm::ArrayRef<PieceDigit> digits, Combiner newCombiner);
};

/// The layout that equals both; nothing if they differ.
std::optional<PieceLayout> unifyLayouts(const PieceLayout &a, const PieceLayout &b);

/// `[{4:2}, _] partial(add) {1:2}`; `_` is a uniform dim.
std::string printLayout(const PieceLayout &layout);

} // namespace partita::verify

#endif
