//===- ProgramText.h - a program as text, and its hash --------------------===//

#ifndef PARTITA_PROGRAM_PROGRAMTEXT_H
#define PARTITA_PROGRAM_PROGRAMTEXT_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::program {

/// The program as text. It was verified when it was made, and is not again.
std::string printProgram(mlir::ModuleOp module, bool withLocations);

/// Whether ops say where they come from, beyond their place in the file that was read.
bool hasLocations(mlir::ModuleOp module);

/// sha256 of the text without locations, in hexadecimal. It costs as much as printing.
std::string hashProgram(mlir::ModuleOp module);

} // namespace partita::program

#endif
