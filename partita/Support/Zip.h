//===- Zip.h - reads and writes ZIP archives, the container of .npz -------===//
//
// Supports the part of ZIP that NumPy writes: entries that are stored or
// deflated, sizes of 32 or 64 bits, no encryption, one disk.
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

/// All entries, in the archive's order. Refuses archives that would unpack to more than `maxBytes` in all. `file` is
/// used in errors.
Result<std::vector<ZipEntry>> readZip(llvm::StringRef bytes, llvm::StringRef file, int64_t maxBytes);

/// An archive of stored (uncompressed) entries. The same entries give the same bytes.
Result<std::string> writeZip(const std::vector<ZipEntry> &entries);

} // namespace partita

#endif
