//===- InputFile.h - reads a file, within the limits ----------------------===//

#ifndef PARTITA_SUPPORT_INPUTFILE_H
#define PARTITA_SUPPORT_INPUTFILE_H

#include "partita/Support/Json.h"
#include "partita/Support/Limits.h"

#include "llvm/Support/MemoryBuffer.h"

namespace partita {

/// The bytes of the file; `-` is standard input. Refuses files beyond `limits.maxFileBytes` without reading them.
Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path, const Limits &limits);

/// The lines of the file that are not empty.
Result<std::vector<std::string>> readLines(llvm::StringRef path, const Limits &limits);

/// `one`, and the lines of the file; either may be empty.
Result<std::vector<std::string>> readNames(llvm::StringRef one, llvm::StringRef path, const Limits &limits);

/// The value in a JSON file that a user wrote. Every error has a remedy.
Result<JsonValue> readJsonFile(llvm::StringRef path, const Limits &limits);

} // namespace partita

#endif
