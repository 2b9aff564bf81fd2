//===- InputFile.cpp - reads a file, within the limits --------------------===//

#include "partita/Support/InputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

namespace partita {

Result<std::unique_ptr<llvm::MemoryBuffer>> readFile(llvm::StringRef path, const Limits &limits) {
  SourceLocation location{path == "-" ? "<stdin>" : path.str(), 0, 0};
  uint64_t size = 0;
  if (path != "-" && !llvm::sys::fs::file_size(path, size) && static_cast<int64_t>(size) > limits.maxFileBytes)
    return beyondLimit(location, "the file has " + std::to_string(size) + " bytes", "max-file-bytes",
                       limits.maxFileBytes);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return Error::cannotReadOrWrite(location, "cannot read: " + buffer.getError().message());
  return std::move(*buffer);
}

Result<std::vector<std::string>> readLines(llvm::StringRef path, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  std::vector<std::string> lines;
  for (llvm::StringRef line : llvm::split((*buffer)->getBuffer(), '\n'))
    if (!line.empty())
      lines.push_back(line.str());
  return lines;
}

Result<std::vector<std::string>> readNames(llvm::StringRef one, llvm::StringRef path, const Limits &limits) {
  std::vector<std::string> names;
  if (!one.empty())
    names.push_back(one.str());
  if (path.empty())
    return names;
  Result<std::vector<std::string>> lines = readLines(path, limits);
  if (!lines)
    return lines;
  llvm::append_range(names, *lines);
  return names;
}

Result<JsonValue> readJsonFile(llvm::StringRef path, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error().remedy.empty() ? Error(buffer.error()).withRemedy("give the path of a JSON file")
                                         : buffer.error();
  Result<JsonValue> json = parseJson((*buffer)->getBuffer(), path);
  if (!json)
    return Error(json.error()).withRemedy("the file must be JSON, as Python's json.dump writes it");
  return json;
}

} // namespace partita
