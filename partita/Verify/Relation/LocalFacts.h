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
};

/// The facts that are known so far.
struct LocalFacts {
  llvm::DenseMap<mlir::Value, Relation> relations;
  llvm::DenseMap<mlir::Value, IndexExpression> indices;

  const Relation *findRelation(mlir::Value value) const {
    auto found = relations.find(value);
    return found == relations.end() ? nullptr : &found->second;
  }
  const IndexExpression *findIndex(mlir::Value value) const {
    auto found = indices.find(value);
    return found == indices.end() ? nullptr : &found->second;
  }
};

} // namespace partita::verify

#endif
