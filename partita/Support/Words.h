//===- Words.h - words and numbers in a sentence --------------------------===//

#ifndef PARTITA_SUPPORT_WORDS_H
#define PARTITA_SUPPORT_WORDS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

#include <string>

namespace partita {

/// `1 op`, `2 ops`.
inline std::string countWord(int64_t number, llvm::StringRef noun) {
  return (llvm::Twine(number) + " " + noun + (number == 1 ? "" : "s")).str();
}

/// `a`, `a and b`, `a, b and c`.
inline std::string joinWords(llvm::ArrayRef<std::string> words) {
  if (words.size() < 2)
    return words.empty() ? "" : words.front();
  return llvm::join(words.drop_back(), ", ") + " and " + words.back();
}

} // namespace partita

#endif
