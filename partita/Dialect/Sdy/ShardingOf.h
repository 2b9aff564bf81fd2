//===- ShardingOf.h - finds the sharding of a value -----------------------===//
//
// A program writes a sharding in one of several locations: on the function for
// its arguments, in an attribute of a sdy op, on the op with a body for the
// arguments of that body, on a data-flow edge, or in the attribute
// `sdy.sharding` of any other op. These functions find it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SHARDINGOF_H
#define PARTITA_DIALECT_SDY_SHARDINGOF_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// The mesh that `meshOrRef` spells out, or that it names by symbol in the module around `op`. Null if the module has
/// no such mesh. Does not build a symbol table, so that ops can be verified in parallel.
MeshAttr lookupMesh(mlir::Attribute meshOrRef, mlir::Operation *op);

/// The mesh of the sharding.
MeshAttr lookupMesh(TensorShardingAttr sharding, mlir::Operation *op);

/// The mesh that all shardings share; null if they have different ones. Empty meshes count only if there is no other.
MeshAttr lookupCommonMesh(llvm::ArrayRef<TensorShardingAttr> shardings, mlir::Operation *op);

/// The sharding of the value, null if it has none.
TensorShardingAttr getSharding(mlir::Value value);

/// The shardings of an op's results as its attribute `sdy.sharding` has them, null if there is none.
TensorShardingPerValueAttr getShardingPerResult(mlir::Operation *op);

/// The sharding as the body of a manual computation sees it: without `manualAxes`, whose splits are invisible there.
TensorShardingAttr dropManualAxes(TensorShardingAttr sharding, llvm::ArrayRef<mlir::StringAttr> manualAxes);

/// Whether the op ties operands, results and values of its bodies together, so that all have one sharding.
bool isDataFlowOp(mlir::Operation *op);

} // namespace partita::sdy

#endif
