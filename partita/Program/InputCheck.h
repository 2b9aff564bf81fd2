//===- InputCheck.h - is this a program text at all? ----------------------===//
//
// What can be said of a file before a parser sees it: that it is text or our
// own bytecode, and that nothing in it nests so deep that a recursive parser
// would run out of stack. Linear in the file's size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_INPUTCHECK_H
#define PARTITA_PROGRAM_INPUTCHECK_H

#include "partita/Program/Rooms.h"
#include "partita/Support/Limits.h"

namespace partita::program {

/// Refuses files that are empty, compressed, UTF-16, of other tools' bytecode, too large or nested too
/// deep. `file` is used in errors only.
Status checkProgramBytes(llvm::StringRef bytes, llvm::StringRef file, const Limits &limits);

/// True for MLIR bytecode of any producer.
bool isBytecode(llvm::StringRef bytes);

} // namespace partita::program

#endif
