//===- MultiIndex.h - iterates over the indices of an array ---------------===//

#ifndef PARTITA_SUPPORT_MULTIINDEX_H
#define PARTITA_SUPPORT_MULTIINDEX_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace partita {

/// Advances `index` to the next position of an array of `shape` in row-major order. False after the last.
bool increment(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

} // namespace partita

#endif
