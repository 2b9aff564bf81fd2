//===- IndexArithmetic.h - emits a piece's offset and index arithmetic ----===//
//
// Local forms compute positions along a dim: where the device's piece starts,
// where an index falls in it. All of this arithmetic is in i64, whatever the
// type of the op's own indices, so nothing overflows.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_INDEXARITHMETIC_H
#define PARTITA_PROGRAM_RULES_INDEXARITHMETIC_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// Emits arithmetic on tensors of i64; results have the shape of the operands.
class IndexEmitter {
public:
  IndexEmitter(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value, llvm::ArrayRef<int64_t> shape = {});
  /// 0, 1, ... `size` - 1.
  mlir::Value iota(int64_t size);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value add(mlir::Value a, int64_t b) { return add(a, constant(b, getShape(a))); }
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value clamp(mlir::Value value, int64_t low, int64_t high);
  /// low <= value < high, as i1.
  mlir::Value isWithin(mlir::Value value, int64_t low, int64_t high);
  /// Broadcasts `value`, of any element type, to `shape`; its dim i becomes `dims[i]`.
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);
  /// An index of any integer type, as i64 clamped to [0, limit]. Exact also where i64 does not hold the index.
  mlir::Value clampIndex(mlir::Value index, int64_t limit);

private:
  mlir::Value compare(mlir::Value a, int64_t b, bool isLess);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

/// The device's piece, of type `type`, of the whole value `whole`, which has the factors of the op's result 0.
mlir::Value emitPieceOfWhole(const LocalContext &local, mlir::Value whole, mlir::RankedTensorType type);

} // namespace partita::program::rules

#endif
