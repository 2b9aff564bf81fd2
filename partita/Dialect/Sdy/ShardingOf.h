//===- ShardingOf.h - where the sharding of a value is written ------------===//
//
// A sharding stands in one of several places: on the function for its
// arguments, on a sdy op's own attribute, on the op with a body for the
// arguments of that body, behind a data-flow edge, or in the attribute
// `sdy.sharding` of any other op. These functions know the places.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGOF_H
#define PARTITA_DIALECT_SDY_SHARDINGOF_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// The mesh that is written out in `meshOrRef`, or that its symbol names in the module around `op`; null if the module
/// has none of that name. Does not build a symbol table, so that ops can be verified in parallel.
MeshAttr lookupMesh(mlir::Attribute meshOrRef, mlir::Operation *op);

/// The mesh of the sharding.
MeshAttr lookupMesh(TensorShardingAttr sharding, mlir::Operation *op);

/// The mesh of all shardings, null if there are two. Empty meshes count only if there is no other.
MeshAttr lookupCommonMesh(llvm::ArrayRef<TensorShardingAttr> shardings, mlir::Operation *op);

/// The sharding of the value, null if it has none.
TensorShardingAttr getSharding(mlir::Value value);

/// The shardings of an op's results as its attribute `sdy.sharding` has them, null if there is none.
TensorShardingPerValueAttr getShardingPerResult(mlir::Operation *op);

/// The sharding inside a body that is manual along `manualAxes`: what these axes cut is no longer seen there.
TensorShardingAttr dropManualAxes(TensorShardingAttr sharding, llvm::ArrayRef<mlir::StringAttr> manualAxes);

/// Ops that tie operands, results and values of their bodies together, so that all have one sharding.
bool isDataFlowOp(mlir::Operation *op);

} // namespace partita::sdy

#endif
