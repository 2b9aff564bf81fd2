//===- LocalFacts.h - facts about the values of a local program -----------===//
//
// The check walks through a local program and records for each value which
// piece of which original value it is, or which index expression. Later ops
// rely on these facts.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_LOCALFACTS_H
#define PARTITA_VERIFY_RELATION_LOCALFACTS_H

#include "partita/Verify/Relation/IndexExpression.h"
#include "partita/Verify/Relation/Numbering.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// A local value is a device's piece of a value of the original.
struct Relation {
  ValueNumber number = 0;
  PieceLayout layout;
  /// Of a product: the digits along which its sum was cut into terms, and which of its factors were (RotatedPieces.h).
  Digits contracted = {};
  uint64_t contractedFactors = 0;

  /// A piece, perhaps partial; else a term of one: of several dims that are cut along one digit.
  bool isPiece() const { return layout.isConsistent(); }
};

/// A local value is the sum of some terms of a device's piece. The sum was cut into terms along `contracted`; of those
/// that differ in `digit` alone, devices hold the ones whose numbers are their own digit plus the bits of `held`. A
/// digit of stride 0: all terms are equal.
struct TermSum {
  Relation piece;
  PieceDigit digit;
  Digits contracted;
  uint64_t contractedFactors = 0;
  llvm::SmallBitVector held;
};

/// The facts that are known so far.
struct LocalFacts {
  llvm::DenseMap<mlir::Value, Relation> relations;
  llvm::DenseMap<mlir::Value, IndexExpression> indices;
  llvm::DenseMap<mlir::Value, TermSum> sums;

  const Relation *findRelation(mlir::Value value) const {
    auto found = relations.find(value);
    return found == relations.end() ? nullptr : &found->second;
  }
  const TermSum *findSum(mlir::Value value) const {
    auto found = sums.find(value);
    return found == sums.end() ? nullptr : &found->second;
  }
  const IndexExpression *findIndex(mlir::Value value) const {
    auto found = indices.find(value);
    return found == indices.end() ? nullptr : &found->second;
  }
};

} // namespace partita::verify

#endif
