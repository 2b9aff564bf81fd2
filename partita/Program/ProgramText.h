//===- ProgramText.h - prints and hashes programs -------------------------===//

#ifndef PARTITA_PROGRAM_PROGRAMTEXT_H
#define PARTITA_PROGRAM_PROGRAMTEXT_H

#include "partita/Program/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::program {

/// The program as text. Does not verify the program again.
std::string printProgram(mlir::ModuleOp module, bool withLocations);

/// Whether ops have locations other than their position in the file that was read.
bool hasLocations(mlir::ModuleOp module);

/// sha256 of the text without locations, in hexadecimal. It costs as much as printing.
std::string hashProgram(mlir::ModuleOp module);

} // namespace partita::program

#endif
