//===- AllDialects.h - every dialect that a program may contain -----------===//
//
// Lists the dialects of a program, once for all tools. A tool makes its context
// here and parses with it; an op of any other dialect is a parse error.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_ALLDIALECTS_H
#define PARTITA_DIALECT_ALLDIALECTS_H

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <memory>

namespace partita {

/// stablehlo, chlo, sdy, part, and the builtin ones that come with them (func, quant, ...).
void registerAllDialects(mlir::DialectRegistry &registry);

/// A context that knows all of them and allows no others.
std::unique_ptr<mlir::MLIRContext> makeContext();

} // namespace partita

#endif
