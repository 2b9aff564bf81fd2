//===- MultiIndex.h - one index after another of an array -----------------===//

#ifndef PARTITA_SUPPORT_MULTIINDEX_H
#define PARTITA_SUPPORT_MULTIINDEX_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace partita {

/// Steps `index` to the next position in row-major order; false after the last.
bool increment(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

} // namespace partita

#endif
