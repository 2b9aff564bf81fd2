//===- LocalFacts.h - what is known of the values of a local program ------===//

#ifndef PARTITA_EVALUATE_RELATION_LOCALFACTS_H
#define PARTITA_EVALUATE_RELATION_LOCALFACTS_H

#include "partita/Evaluate/Relation/IndexExpression.h"
#include "partita/Evaluate/Relation/Numbering.h"

namespace partita::evaluate {

/// A local value is a device's piece of a value of the original.
struct Relation {
  ValueNumber number = 0;
  Form form;
};

/// What is known of local values.
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

} // namespace partita::evaluate

#endif
