//===- LoopEditor.h - adds and removes values that a loop carries ---------===//

#ifndef PARTITA_REMAT_LOOPEDITOR_H
#define PARTITA_REMAT_LOOPEDITOR_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Remat/Rooms.h"

namespace partita::remat {

/// Replaces `loop` by one that also carries values that start as `initial`, behind the others. Its body passes them on
/// unchanged, until its terminator is told otherwise. The blocks and what is in them stay.
stablehlo::WhileOp addCarried(stablehlo::WhileOp loop, mlir::ValueRange initial);

/// Replaces `loop` by one without carried values that neither the condition nor a used result needs, and removes ops of
/// its body that are dead then. Returns the number of these.
int64_t removeDeadCarried(stablehlo::WhileOp &loop);

/// Removes ops of the block that nothing uses, and operands of barriers whose results nothing uses. Returns how many
/// ops were removed.
int64_t removeDeadOps(mlir::Block &block);

} // namespace partita::remat

#endif
