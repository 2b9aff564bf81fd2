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
// A rule knows no devices. It emits a collective_permute that says only which
// factor's neighbor it takes from; lowering adds the devices.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_STAGESHIFT_H
#define PARTITA_PROGRAM_RULES_STAGESHIFT_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/Builders.h"

namespace partita::program {

/// Moves elements along dim 0 by `by`, 1 or -1; zeros come in.
mlir::Value emitStageShift(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, int64_t by);

/// Whether the op is such a shift.
bool isStageShift(mlir::Operation *op);

/// By how much it moves elements.
int64_t getShift(stablehlo::PadOp op);

/// What a device takes from another one: from the one whose number along `factor` is smaller by `by`. Zeros where there
/// is none.
struct NeighborPermute {
  uint8_t factor = 0;
  int64_t by = 1;
};

mlir::Value emitNeighbor(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, NeighborPermute neighbor);

/// What `emitNeighbor` stated; nothing for other permutes.
std::optional<NeighborPermute> findNeighbor(mlir::Operation *op);

/// Makes it a permute between devices. `groups`: those that differ along the factor alone, in its order.
void setDevices(stablehlo::CollectivePermuteOp op, llvm::ArrayRef<std::vector<int64_t>> groups);

} // namespace partita::program

#endif
