//===- DimOrder.h - parts of a dim, piece by piece ------------------------===//
//
// One product may compute queries, keys and values side by side: a dim of three
// parts. If devices split such a dim, each part lies on some of them. In another
// order each has a piece of every part:
//
//   q0 q1 k0 k1 v0 v1    the program's order
//   q0 k0 v0 q1 k1 v1    two groups
//
// A group's elements follow each other, so the dim is [groups, size / groups],
// and each part a slice of the second of these.
//
// An argument or result that is *stored* so has the two dims in place of the one.
// Its shape therefore says that it is, and an attribute, `partita.order = [dim,
// size of each part]`, in which order.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_DIMORDER_H
#define PARTITA_PROGRAM_DIMORDER_H

#include "partita/Program/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::program {

/// Fewer than two parts: the program's order.
struct DimOrder {
  int64_t groups = 1;
  llvm::SmallVector<int64_t, 4> parts;

  bool isPlain() const { return groups < 2 || parts.size() < 2; }
  bool operator==(const DimOrder &other) const {
    return isPlain() ? other.isPlain() : groups == other.groups && parts == other.parts;
  }
};

/// The type with the dim as two, `groups` and the rest.
mlir::RankedTensorType splitDim(mlir::RankedTensorType type, unsigned dim, int64_t groups);

/// `value` with the dim as two, and with dims `dim` and `dim + 1` as one.
mlir::Value emitSplitDim(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned dim, int64_t groups);
mlir::Value emitJoinDims(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, unsigned dim);

/// `value`, of which `dim` is in the program's order, in another one; and back. The groups divide each part.
mlir::Value emitReorder(mlir::OpBuilder &builder, mlir::Value value, unsigned dim, const DimOrder &order);
mlir::Value emitRestore(mlir::OpBuilder &builder, mlir::Value value, unsigned dim, const DimOrder &order);

/// The order in which an argument or result is stored.
struct StoredDim {
  unsigned dim = 0;
  DimOrder order;
};

inline constexpr llvm::StringLiteral orderAttributeName = "partita.order";

mlir::Attribute makeOrderAttr(mlir::MLIRContext *context, const StoredDim &stored);

/// What the attribute, which may be null, says of a value of this type; nothing if it is none of ours.
std::optional<StoredDim> readOrderAttr(mlir::Attribute attribute, mlir::Type type);

} // namespace partita::program

#endif
