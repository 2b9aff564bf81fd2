//===- VerifyKinds.h - a module verified, each kind of op once ------------===//
//
// What MLIR's verifier says of an op of StableHLO depends on its name,
// attributes and types, but not on which values it takes. A program of 100,000
// ops has some hundred kinds of them (AlikeOps.h), so looking at one of each is
// enough, and takes a fifth of the time. Whether values are defined before they
// are used is checked of every op.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_VERIFYKINDS_H
#define PARTITA_PROGRAM_VERIFYKINDS_H

#include "mlir/IR/BuiltinOps.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// Finds what `mlir::verify` finds, and says it in the same words.
mlir::LogicalResult verifyKinds(mlir::ModuleOp module);

} // namespace partita::program

#endif
