//===- Warnings.h - what a plan leaves undone, on standard error ----------===//

#ifndef PARTITA_REPORT_WARNINGS_H
#define PARTITA_REPORT_WARNINGS_H

#include "partita/Program/Flatten.h"
#include "partita/Report/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::report {

/// Which ops are kept whole because nothing is known of them, how many, and where the first is.
void reportUnknown(llvm::ArrayRef<UnknownOp> unknown);

/// Which rules of --rule are for nothing that the program calls.
void reportUncalled(mlir::ModuleOp module, llvm::ArrayRef<std::string> rules);

/// Which donated arguments keep their buffers.
void reportDropped(const Graph &graph, llvm::ArrayRef<unsigned> dropped);

} // namespace partita::report

#endif
