//===- CollectiveOps.h - collectives that change the sharding of a value --===//
//
// The C++ classes of the ops that CollectiveOps.td defines: `sdy.all_gather`,
// `all_slice`, `all_to_all`, `collective_permute`, `all_reduce`,
// `reduce_scatter` and the two that make a value unreduced. Types are global,
// so operand and result have the same type; only the sharding changes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_COLLECTIVEOPS_H
#define PARTITA_DIALECT_SDY_COLLECTIVEOPS_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// What a collective accepts as operand.
struct CollectiveOperand {
  bool allowsUnsharded, allowsOtherMesh;
};

llvm::LogicalResult verifyCollective(mlir::Operation *op, CollectiveOperand allowed);

/// The sharding of a collective's result, null for other ops.
TensorShardingAttr getOutSharding(mlir::Operation *op);

namespace trait {

/// See `CollectiveSpec` in CollectiveOps.td.
template <typename ConcreteOp> class CollectiveSpec : public mlir::OpTrait::TraitBase<ConcreteOp, CollectiveSpec> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyCollective(op, {ConcreteOp::allowsUnshardedOperand, ConcreteOp::allowsOtherMesh});
  }
};

} // namespace trait
} // namespace partita::sdy

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/CollectiveOps.h.inc"

#endif
