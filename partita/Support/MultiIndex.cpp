//===- MultiIndex.cpp - iterates over the indices of an array -------------===//

#include "partita/Support/MultiIndex.h"

namespace partita {

bool increment(llvm::MutableArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape) {
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (++index[dim] < shape[dim])
      return true;
    index[dim] = 0;
  }
  return false;
}

} // namespace partita
