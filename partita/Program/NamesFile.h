//===- NamesFile.h - names from a user's file -----------------------------===//
//
//   {"arg0": "batch['tokens']", "arg1": "state.params['w']", "result0": "result.params['w']"}
//
// A user can name the arguments and results of a program that has no helpful
// names. Tactics match these names, and they tie arguments to results.
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

/// Renames arguments and results of @main. A key is a number (`arg3`, `result0`) or the current name. A key that
/// matches nothing, or several values, is an error at its position in `file`.
Status applyNames(mlir::ModuleOp module, const JsonValue &names, llvm::StringRef file);

/// Applies the names in the file `path`.
Status applyNamesFile(mlir::ModuleOp module, llvm::StringRef path, const Limits &limits);

} // namespace partita::program

#endif
