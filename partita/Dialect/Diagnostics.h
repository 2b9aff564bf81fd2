//===- Diagnostics.h - between MLIR's diagnostics and our errors ----------===//

#ifndef PARTITA_DIALECT_DIAGNOSTICS_H
#define PARTITA_DIALECT_DIAGNOSTICS_H

#include "partita/Support/Error.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace partita {

/// The file position inside a location: in a call site that of the callee or, if it has none, as functions that JAX
/// jits itself, that of the caller; in a fused location the first one; nothing if there is none.
std::optional<SourceLocation> findSourceLocation(mlir::Location location);

/// `findSourceLocation`, or the place where nothing is known.
SourceLocation locationOf(mlir::Operation *op);

/// While it lives, errors that MLIR emits are kept instead of printed; the first one becomes an Error.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, llvm::StringRef file);

  bool hasError() const { return error.has_value(); }
  /// The first error, or an internal one with `fallback` if MLIR failed without a word.
  Error takeError(llvm::StringRef fallback);

private:
  llvm::LogicalResult handle(mlir::Diagnostic &diagnostic);

  std::string file;
  std::optional<Error> error;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace partita

#endif
