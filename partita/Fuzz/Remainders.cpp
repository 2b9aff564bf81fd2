//===- Remainders.cpp - what devices have of a dim that they do not divide ===//

#include "partita/Fuzz/Remainders.h"

namespace partita::fuzz {

llvm::StringRef findRemainderClass(const UnevenDim &dim, int64_t parts) {
  int64_t piece = dim.size / parts;
  bool isUneven = dim.elements % piece != 0, isEmpty = piece * (parts - 1) >= dim.elements;
  if (isUneven)
    return isEmpty ? "uneven+empty" : "uneven";
  return piece == dim.inner ? "single" : "empty";
}

} // namespace partita::fuzz
