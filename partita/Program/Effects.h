//===- Effects.h - what an op does beyond computing its results -----------===//

#ifndef PARTITA_PROGRAM_EFFECTS_H
#define PARTITA_PROGRAM_EFFECTS_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::program {

/// Whether the op, or one inside of it, does more than compute its results.
bool hasEffect(mlir::Operation *op);

/// Whether a copy of the op computes the same and nothing else happens: it has no effect, draws no random numbers but
/// those that follow from its operands, and talks to no other device.
bool mayRunAgain(mlir::Operation *op);

} // namespace partita::program

#endif
