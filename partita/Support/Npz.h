//===- Npz.h - reads and writes NumPy files -------------------------------===//
//
// An .npz file is a ZIP archive of .npy files, one for each array. An .npy file
// is a short header in Python's syntax and the elements:
//
//   \x93NUMPY 1 0 <length> {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
//
// Element types that NumPy does not know (bf16, f8 kinds, i4, ...) are written by
// ml_dtypes as raw bytes, '<V2' or '<V1'.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_NPZ_H
#define PARTITA_SUPPORT_NPZ_H

#include "partita/Support/Error.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace partita {

struct NumpyArray {
  std::string name;
  /// NumPy's letter for the element kind: 'f', 'i', 'u', 'b', 'c', 'V'.
  char kind = 'V';
  int64_t elementBytes = 1;
  llvm::SmallVector<int64_t> shape;
  /// Always little-endian and row-major, also where the file was not.
  std::string bytes;

  /// As in the header: "<f4".
  std::string getDescription() const;
};

/// All arrays of a file, in file order. Refuses files that unpack to more than `maxBytes`. `file` is used in errors.
Result<std::vector<NumpyArray>> readNpz(llvm::StringRef bytes, llvm::StringRef file, int64_t maxBytes);

/// The bytes of an .npz file with the arrays.
Result<std::string> writeNpz(llvm::ArrayRef<NumpyArray> arrays);

} // namespace partita

#endif
