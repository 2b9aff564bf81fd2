//===- InputFile.h - reads a file's bytes, within the limits --------------===//

#ifndef PARTITA_SUPPORT_INPUTFILE_H
#define PARTITA_SUPPORT_INPUTFILE_H

#include "partita/Support/Limits.h"

#include "llvm/Support/MemoryBuffer.h"

namespace partita {

/// The bytes of the file; `-` is standard input. Refuses files beyond `limits.maxFileBytes` without reading them.
Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path, const Limits &limits);

} // namespace partita

#endif
