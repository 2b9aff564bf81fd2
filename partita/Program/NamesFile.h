//===- NamesFile.h - names that a user gives ------------------------------===//
//
//   {"arg0": "batch['tokens']", "arg1": "state.params['w']", "result0": "result.params['w']"}
//
// Programs without names, or with names that say little, are given some: tactics
// match them, and states are tied by them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_NAMESFILE_H
#define PARTITA_PROGRAM_NAMESFILE_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Error.h"
#include "partita/Support/Json.h"
#include "partita/Support/Limits.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::program {

/// Renames arguments and results of @main, each called by its number (`arg3`, `result0`) or by the name it has. What is
/// called nothing, or several things, is an error at its place in `file`.
Status applyNames(mlir::ModuleOp module, const JsonValue &names, llvm::StringRef file);

/// Those in a file.
Status applyNamesFile(mlir::ModuleOp module, llvm::StringRef path, const Limits &limits);

} // namespace partita::program

#endif
