//===- LegacyShardings.cpp - older forms of shardings become sdy's --------===//

#include "partita/Program/Import/Steps.h"

namespace partita::import {

Status convertLegacyShardings(mlir::ModuleOp) { return std::nullopt; }

} // namespace partita::import
