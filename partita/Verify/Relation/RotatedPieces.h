//===- RotatedPieces.h - values made of pieces that devices pass on -------===//
//
// Instead of gathering a value, devices may pass their pieces around: after i
// permutes a device has the piece of digit + i (PieceLayout.h), computes with it,
// and has all pieces in the end, each device in another order. A concatenation
// of them, of which the device takes the slice that begins with piece 0, is the
// gathered value:
//
//   p0 = f(x), p1 = f(permute x), ...      device 1 of 3 holds pieces 1, 2, 0
//   c = concatenate(p0, p1, p2, p0, p1, p2)
//   dynamic_slice c at (3 - device) * size   pieces 0, 1, 2
//
// Instead of scattering a sum, a device may compute its term of each piece of the
// sum, send it to the device of that piece and add up the terms that it is sent.
// A term is the product of a device's part of what is contracted; which device's
// part it is, is counted until all of them are there. Where both operands are equal
// along what is contracted, all terms are: then it is counted how many are there.
//
// Nothing is assumed of the order: each device's pieces are counted.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_ROTATEDPIECES_H
#define PARTITA_VERIFY_RELATION_ROTATEDPIECES_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Verify/Relation/LocalFacts.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// Each device receives what the device has whose digit is larger by `shift`, from the last on to the first.
struct Rotation {
  PieceDigit digit;
  int64_t shift = 0;
};

/// All rotations that a permute is; `sources` are the devices from which devices 0, 1, ... receive. Longest first.
llvm::SmallVector<Rotation, 1> findRotations(llvm::ArrayRef<int64_t> sources);

/// The layout of what a rotation brings; nothing if no shifted digits express it, or if partial sums would be mixed.
std::optional<PieceLayout> rotate(const PieceLayout &layout, const Rotation &rotation);
std::optional<TermSum> rotate(const TermSum &sum, const Rotation &rotation);

/// The sum that consists of the term `relation` alone; nothing if it is not known which term devices hold.
std::optional<TermSum> makeTermSum(const Relation &relation);
/// The same for a product that is a partial piece, of which each device along `digit` has one term. A digit of stride
/// 0: its terms are equal, and `held` has as many bits as there are terms.
std::optional<TermSum> makeTermSum(const Relation &relation, const PieceDigit &digit);
/// The sum of both; nothing unless they are of different terms of one piece.
std::optional<TermSum> addTerms(const TermSum &a, const TermSum &b);
/// The piece, if the sum has all terms.
std::optional<Relation> completeSum(const TermSum &sum);

/// The relation of a slice of concatenated pieces that a rotation brought; nothing unless it has all of them, in order.
std::optional<Relation> findGathered(stablehlo::DynamicSliceOp op, const LocalFacts &facts);

} // namespace partita::verify

#endif
