//===- Barriers.h - values behind optimization barriers -------------------===//

#ifndef PARTITA_PROGRAM_BARRIERS_H
#define PARTITA_PROGRAM_BARRIERS_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/Value.h"

namespace partita::program {

/// The value that barriers pass on as `value`; `value` itself if it comes from another op.
mlir::Value skipBarriers(mlir::Value value);

} // namespace partita::program

#endif
