//===- AllDialects.h - every dialect that a program may contain -----------===//

#ifndef PARTITA_DIALECT_ALLDIALECTS_H
#define PARTITA_DIALECT_ALLDIALECTS_H

#include "mlir/IR/DialectRegistry.h"

namespace partita {

/// stablehlo, chlo, sdy, part, and the builtin ones that come with them (func, quant, ...).
void registerAllDialects(mlir::DialectRegistry &registry);

} // namespace partita

#endif
