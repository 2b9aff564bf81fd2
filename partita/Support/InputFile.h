//===- InputFile.h - a file's bytes, within the limits --------------------===//

#ifndef PARTITA_SUPPORT_INPUTFILE_H
#define PARTITA_SUPPORT_INPUTFILE_H

#include "partita/Support/Limits.h"

#include "llvm/Support/MemoryBuffer.h"

namespace partita {

/// The file's bytes, `-` being standard input; files beyond the limit are not read.
Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path, const Limits &limits);

} // namespace partita

#endif
