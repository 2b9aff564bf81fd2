//===- StoredBorder.h - local programs whose state is stored padded -------===//
//
// A plan may store state longer than the program has it (partita/Padding), with
// +0 behind the elements. To run such a local program against the original, its
// arguments are padded with zeros and its results cut.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_STOREDBORDER_H
#define PARTITA_VERIFY_STOREDBORDER_H

#include "partita/Verify/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::verify {

/// A copy of `local` with the arguments and results of `original`; null if none is longer, or if they differ otherwise.
mlir::OwningOpRef<mlir::ModuleOp> removeStorage(mlir::ModuleOp original, mlir::ModuleOp local);

} // namespace partita::verify

#endif
