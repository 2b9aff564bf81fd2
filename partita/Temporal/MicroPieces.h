//===- MicroPieces.h - emits pieces of values and what becomes of them ----===//
//
// A dim of size n whose digit has stride s is viewed as [n / (s * count), count,
// s], or without the last dim if s is 1: a microbatch is one index of the middle
// dim. Mesh axes that split the dim split the first of these, so that cutting
// microbatches moves nothing between devices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_MICROPIECES_H
#define PARTITA_TEMPORAL_MICROPIECES_H

#include "partita/Temporal/Digits.h"
#include "partita/Temporal/Rooms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace partita::temporal {

/// Emits ops at `builder` for one way to cut microbatches.
struct MicroPieces {
  mlir::OpBuilder &builder;
  mlir::Location loc;
  /// The number of microbatches.
  int64_t count;

  mlir::RankedTensorType getPieceType(mlir::RankedTensorType whole, RowDigit digit) const;
  mlir::RankedTensorType getViewType(mlir::RankedTensorType whole, RowDigit digit) const;

  mlir::Value reshape(mlir::Value value, mlir::RankedTensorType type) const;
  /// Microbatch number `index`, a scalar i64, of a value of type `whole`, given its view.
  mlir::Value emitPiece(mlir::Value view, mlir::RankedTensorType whole, RowDigit digit, mlir::Value index) const;
  /// `view` with microbatch number `index` replaced.
  mlir::Value emitUpdate(mlir::Value view, mlir::Value piece, mlir::RankedTensorType whole, RowDigit digit,
                         mlir::Value index) const;

  mlir::Value emitZeros(mlir::RankedTensorType type) const;
  mlir::Value emitInteger(int64_t value) const;
  mlir::Value emitIsFirst(mlir::Value index) const;
  /// A term that is `value` for the first microbatch, and zero for the others.
  mlir::Value emitCountedOnce(mlir::Value value, mlir::Value index) const;
  /// `sum` combined with one more term; it may be anything for the first microbatch, unless terms are added.
  mlir::Value emitCombined(Combiner combiner, mlir::Value sum, mlir::Value term, mlir::Value index) const;
};

} // namespace partita::temporal

#endif
