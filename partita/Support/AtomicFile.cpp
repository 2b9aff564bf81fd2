//===- AtomicFile.cpp - writes files completely or not at all -------------===//

#include "partita/Support/AtomicFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <unistd.h>

#include <tuple>

namespace partita {

namespace fs = llvm::sys::fs;

static Error cannotWrite(llvm::StringRef path, std::error_code code) {
  return Error::cannotReadOrWrite(SourceLocation{path.str(), 0, 0}, "cannot write: " + code.message());
}

/// Writes `contents` to a new file in the folder of `path`, and its name to `temporary`.
static Status writeBeside(const FileToWrite &file, llvm::SmallString<128> &temporary) {
  llvm::StringRef folder = llvm::sys::path::parent_path(file.path);
  if (!folder.empty())
    if (std::error_code code = fs::create_directories(folder))
      return cannotWrite(file.path, code);
  if (fs::is_directory(file.path))
    return cannotWrite(file.path, std::make_error_code(std::errc::is_a_directory));
  int descriptor;
  if (std::error_code code = fs::createUniqueFile(file.path + ".%%%%%%.part", descriptor, temporary, fs::OF_None,
                                                  fs::all_read | fs::owner_write))
    return cannotWrite(file.path, code);
  llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << file.contents;
  stream.flush();
  if (!stream.has_error())
    ::fsync(descriptor);
  stream.close();
  if (!stream.has_error())
    return std::nullopt;
  std::error_code code = stream.error();
  stream.clear_error();
  return cannotWrite(file.path, code);
}

/// A device, a pipe: it is written into, since a file in its place would replace it.
static bool isSpecial(llvm::StringRef path) {
  bool isOther = false;
  return !fs::is_other(path, isOther) && isOther;
}

static Status writeInto(const FileToWrite &file) {
  std::error_code code;
  llvm::raw_fd_ostream stream(file.path, code, fs::CD_OpenExisting);
  if (code)
    return cannotWrite(file.path, code);
  stream << file.contents;
  stream.close();
  if (!stream.has_error())
    return std::nullopt;
  code = stream.error();
  stream.clear_error();
  return cannotWrite(file.path, code);
}

Status writeFilesTogether(const std::vector<FileToWrite> &files) {
  std::vector<llvm::SmallString<128>> temporaries;
  auto removeTemporaries = [&] {
    for (const auto &temporary : temporaries)
      if (!temporary.empty())
        std::ignore = fs::remove(temporary);
  };
  for (const FileToWrite &file : files) {
    llvm::SmallString<128> &temporary = temporaries.emplace_back();
    if (isSpecial(file.path))
      continue;
    if (Status error = writeBeside(file, temporary)) {
      removeTemporaries();
      return error;
    }
  }
  for (auto [file, temporary] : llvm::zip(files, temporaries)) {
    if (temporary.empty()) {
      if (Status error = writeInto(file)) {
        removeTemporaries();
        return error;
      }
    } else if (std::error_code code = fs::rename(temporary, file.path)) {
      removeTemporaries();
      return cannotWrite(file.path, code);
    }
  }
  return std::nullopt;
}

Status emit(const std::string &path, std::string text) {
  if (!path.empty() && path != "-")
    return writeFilesTogether({{path, std::move(text)}});
  llvm::outs() << text;
  llvm::outs().flush();
  // Nobody reads on: finishOutput ends the command quietly.
  if (!llvm::outs().has_error() || llvm::outs().error() == std::errc::broken_pipe)
    return std::nullopt;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return Error::cannotReadOrWrite(SourceLocation{"<stdout>", 0, 0}, "cannot write: " + reason);
}

int finishOutput(int code) {
  static_assert(static_cast<int>(ExitCode::ClosedPipe) == 128 + SIGPIPE);
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return code;
  std::error_code error = llvm::outs().error();
  llvm::outs().clear_error();
  if (error == std::errc::broken_pipe)
    return code == 0 ? static_cast<int>(ExitCode::ClosedPipe) : code;
  llvm::errs() << cannotWrite("<stdout>", error).str() << "\n";
  return code == 0 ? static_cast<int>(ExitCode::CannotReadOrWrite) : code;
}

} // namespace partita
