//===- AtomicFile.h - writes files completely or not at all ---------------===//

#ifndef PARTITA_SUPPORT_ATOMICFILE_H
#define PARTITA_SUPPORT_ATOMICFILE_H

#include "partita/Support/Error.h"

#include <vector>

namespace partita {

struct FileToWrite {
  std::string path;
  std::string contents;
};

/// Writes all files, or none of them: writes each to a temporary file in the same folder, and renames them once all are
/// complete. Creates missing folders.
Status writeFilesTogether(const std::vector<FileToWrite> &files);

/// Writes a result to the file `path`, or to standard output if it is empty or `-`.
Status emit(const std::string &path, std::string text);

/// Call at the end of a command that would exit with `code`: flushes standard output and gives the code to exit with. A
/// pipe that nobody reads any more (`| head`) is no error, and gives ExitCode::ClosedPipe; any other failure is
/// reported.
int finishOutput(int code);

} // namespace partita

#endif
