//===- StoredBorder.h - local programs whose state is stored otherwise ----===//
//
// A plan may store state longer than the program has it (partita/Padding), with
// +0 behind the elements, or in another order (Program/DimOrder.h). To run such a
// local program against the original, its arguments are padded with zeros or
// reordered, and its results cut or brought back.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_STOREDBORDER_H
#define PARTITA_VERIFY_STOREDBORDER_H

#include "partita/Verify/Rooms.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace partita::verify {

/// A copy of `local` with the arguments and results of `original`; null if none is stored otherwise, or if they
/// differ in other ways.
mlir::OwningOpRef<mlir::ModuleOp> removeStorage(mlir::ModuleOp original, mlir::ModuleOp local);

} // namespace partita::verify

#endif
