//===- StageShift.h - hands values from one stage to the next -------------===//
//
// In a program of pipeline stages (partita/Pipeline) dim 0 of a value counts the
// stages. A shift gives each stage what the one before it has, and zeros to the
// first: an ordinary `pad` that moves all elements by one. It has a mark, which
// tells it from other pads: its dim 0 may be split, and what crosses from one
// device to the next is sent by a collective_permute.
//
//   shift of [a, b, c, d] by 1  = [0, a, b, c]
//   2 devices: each sends its last row, then has [0, a] and [b, c]
//
// A rotation gives the first stage what the last one has, a `gather` of all rows
// that begins with the last. With the mark, it is one collective_permute as well.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STAGESHIFT_H
#define PARTITA_PROGRAM_RULES_STAGESHIFT_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/Exchanges.h"

#include "mlir/IR/Builders.h"

namespace partita::program {

/// Moves elements along dim 0 by `by`, 1 or -1; zeros come in.
mlir::Value emitStageShift(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t by);
/// The same, and what goes out at one end comes in at the other.
mlir::Value emitStageRotation(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t by);

/// Whether the op is such a shift or rotation.
bool isStageShift(mlir::Operation *op);

/// The rows of a device, of which `rows` are its own before it; `op` is such an op, and `split` splits its dim 0.
mlir::Value emitShiftedRows(mlir::Operation *op, mlir::Value rows, const Split &split, mlir::OpBuilder &builder);

} // namespace partita::program

#endif
