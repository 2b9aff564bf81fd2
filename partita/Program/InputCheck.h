//===- InputCheck.h - checks a file before it is parsed -------------------===//
//
// Before the parser sees a file, it must be text or our own bytecode, and
// nothing in it may nest so deep that a recursive parser runs out of stack.
// Time is linear in the file's size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_INPUTCHECK_H
#define PARTITA_PROGRAM_INPUTCHECK_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Limits.h"

namespace partita::program {

/// Refuses files that are empty, compressed, UTF-16, bytecode of other tools, too large or nested too deep. `file`
/// appears in errors only.
Status checkProgramBytes(llvm::StringRef bytes, llvm::StringRef file, const Limits &limits);

/// True for MLIR bytecode of any producer.
bool isBytecode(llvm::StringRef bytes);

} // namespace partita::program

#endif
