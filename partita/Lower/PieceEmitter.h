//===- PieceEmitter.h - emits products in pieces and their permutes -------===//
//
// What Cost/ProductPieces.h describes, as StableHLO. All permutes of a gather
// stand where the gather would; the products follow where they always stand.
//
// XLA:GPU joins products that have an operand in common into one, and so would
// gather again what was taken apart. So the other operand of each piece passes
// a barrier together with the piece.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_PIECEEMITTER_H
#define PARTITA_LOWER_PIECEEMITTER_H

#include "partita/Cost/ProductPieces.h"
#include "partita/Lower/Collectives.h"
#include "partita/Lower/OpPieces.h"

namespace partita::lower {

class PieceEmitter {
public:
  /// Keeps references to all of them.
  PieceEmitter(const ProductPieces &pieced, Collectives &collectives, DeviceIndex &index, OpPieces &pieces)
      : pieced(pieced), collectives(collectives), index(index), pieces(pieces) {}

  bool isPieced(ReshardId id) const { return pieced.find(id) != nullptr; }
  bool isPieced(OpId op) const { return pieced.find(op).has_value(); }
  bool isScatter(ReshardId id) const { return pieced.find(id)->isScatter; }

  /// Of a gather: the permutes, and the gathered value if something besides products takes it; else null. Of a scatter:
  /// what its product gave.
  mlir::Value emitReshard(mlir::OpBuilder &builder, mlir::Location loc, ReshardId id, mlir::Value value);
  /// The product's result; if it is scattered, the device's piece of it. An operand that comes in pieces may be null.
  mlir::Value emitProduct(mlir::OpBuilder &builder, OpId op, mlir::ValueRange operands);

private:
  mlir::Value emitTerms(mlir::OpBuilder &builder, const PiecedReshard &reshard, const PiecedProduct &product,
                        mlir::SmallVector<mlir::Value> operands);
  mlir::Value emitRows(mlir::OpBuilder &builder, const PiecedReshard &reshard, const PiecedProduct &product,
                       mlir::SmallVector<mlir::Value> operands, mlir::Value rows);
  mlir::Value emitSlice(mlir::OpBuilder &builder, mlir::Location loc, const PiecedReshard &reshard, mlir::Value value,
                        uint32_t dim, int64_t shift);
  mlir::Location getHelperLocation(mlir::OpBuilder &builder, OpId op) const;
  mlir::Value putTogether(mlir::OpBuilder &builder, mlir::Location loc, const PiecedReshard &reshard,
                          llvm::ArrayRef<mlir::Value> rows, uint32_t dim);

  const ProductPieces &pieced;
  Collectives &collectives;
  DeviceIndex &index;
  OpPieces &pieces;
  /// The pieces of each gather: the device's own, that of the next device, and so on.
  std::map<ReshardId, mlir::SmallVector<mlir::Value>> gathered;
};

} // namespace partita::lower

#endif
