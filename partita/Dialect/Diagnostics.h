//===- Diagnostics.h - MLIR's diagnostics as our errors -------------------===//
//
// MLIR reports a failure to a handler of its context; our functions return an
// `Error` with an exit code and a file position. These functions convert the
// first into the second.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_DIAGNOSTICS_H
#define PARTITA_DIALECT_DIAGNOSTICS_H

#include "partita/Support/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace partita {

/// The file position inside a location, or nothing if it has none. For a call site this is the position of the callee;
/// functions that JAX jits itself have none, and then it is that of the caller; so it is if the callee's file belongs
/// to an installed Python package and the caller's does not. For a fused location it is the first position.
std::optional<SourceLocation> findSourceLocation(mlir::Location location);

/// `findSourceLocation`, or an empty position if the op has none.
SourceLocation locationOf(mlir::Operation *op);

/// While it lives, it keeps the errors that MLIR emits instead of printing them. The first one becomes an Error.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, llvm::StringRef file);

  bool hasError() const { return error.has_value(); }
  /// The first error, or an internal one with the text `fallback` if MLIR failed without a diagnostic.
  Error takeError(llvm::StringRef fallback);

private:
  llvm::LogicalResult handle(mlir::Diagnostic &diagnostic);

  std::string file;
  std::optional<Error> error;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace partita

#endif
