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
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STAGESHIFT_H
#define PARTITA_PROGRAM_RULES_STAGESHIFT_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/Exchanges.h"

#include "mlir/IR/Builders.h"

namespace partita::program {

/// Moves elements along dim 0 by `by`; zeros come in. By more than 1 or -1 it is no shift but an ordinary `pad`, along
/// which rows move (MovedRows.h).
mlir::Value emitStageShift(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t by);

/// Whether the op is such a shift.
bool isStageShift(mlir::Operation *op);

/// By how much it moves elements.
int64_t getShift(stablehlo::PadOp op);

} // namespace partita::program

#endif
