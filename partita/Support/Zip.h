//===- Zip.h - the container of .npz files --------------------------------===//
//
// As much of ZIP as NumPy writes: entries that are stored or deflated, sizes of
// 32 or 64 bits, no encryption, one disk.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_ZIP_H
#define PARTITA_SUPPORT_ZIP_H

#include "partita/Support/Error.h"

#include <vector>

namespace partita {

struct ZipEntry {
  std::string name;
  std::string contents;
};

/// All entries, in the archive's order. `file` is used in errors; archives that would unpack to more than `maxBytes` in
/// all are refused.
Result<std::vector<ZipEntry>> readZip(llvm::StringRef bytes, llvm::StringRef file, int64_t maxBytes);

/// An archive of stored entries; the same bytes for the same entries.
Result<std::string> writeZip(const std::vector<ZipEntry> &entries);

} // namespace partita

#endif
