//===- AtomicFile.h - files that appear whole or not at all ---------------===//

#ifndef PARTITA_SUPPORT_ATOMICFILE_H
#define PARTITA_SUPPORT_ATOMICFILE_H

#include "partita/Support/Error.h"

#include <vector>

namespace partita {

struct FileToWrite {
  std::string path;
  std::string contents;
};

/// Writes all files, or none of them: each is written beside its place first, and moved there once
/// all are complete. Folders that are missing are made.
Status writeFilesTogether(const std::vector<FileToWrite> &files);

} // namespace partita

#endif
