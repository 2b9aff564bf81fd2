//===- Npz.h - NumPy's files ----------------------------------------------===//
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
  /// The kind of the elements as NumPy has it: 'f', 'i', 'u', 'b', 'c', 'V'.
  char kind = 'V';
  int64_t elementBytes = 1;
  llvm::SmallVector<int64_t> shape;
  /// Little-endian and row-major, whatever the file had.
  std::string bytes;

  /// "<f4", as the header has it.
  std::string getDescription() const;
};

/// All arrays of a file, in its order.
Result<std::vector<NumpyArray>> readNpz(llvm::StringRef bytes, llvm::StringRef file, int64_t maxBytes);

/// The bytes of a file that holds the arrays.
Result<std::string> writeNpz(llvm::ArrayRef<NumpyArray> arrays);

} // namespace partita

#endif
