//===- VerifyKinds.h - verifies each kind of op once ----------------------===//
//
// MLIR's verdict on a StableHLO op depends on its name, attributes and types,
// but not on which values it takes. A program of 100,000 ops has a few hundred
// kinds of ops (AlikeOps.h), so verifying one op of each is enough, and takes a
// fifth of the time. That values are defined before they are used is checked
// for every op.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_VERIFYKINDS_H
#define PARTITA_PROGRAM_VERIFYKINDS_H

#include "mlir/IR/BuiltinOps.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// Reports the same errors as `mlir::verify`, in the same words.
mlir::LogicalResult verifyKinds(mlir::ModuleOp module);

} // namespace partita::program

#endif
