//===- Spelling.cpp - what a name that is not known was meant to be -------===//

#include "partita/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace partita {

/// Names are compared up to this length: the work is that length squared for each of them.
static constexpr size_t mostLength = 200;
/// More names than this are not listed.
static constexpr size_t mostListed = 24;

/// Of names in small letters: whether it is the last part of a path, or the first of several words: `h100` of
/// `h100-sxm`.
static bool isPartOf(llvm::StringRef part, llvm::StringRef name) {
  bool isLast = name.ends_with(part) && name.drop_back(part.size()).ends_with("/");
  return isLast || (name.starts_with(part) && name.drop_front(part.size()).starts_with("-"));
}

std::optional<llvm::StringRef> findNearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  if (name.empty() || name.size() > mostLength)
    return std::nullopt;
  std::string lower = name.lower();
  std::optional<llvm::StringRef> nearest;
  // One slip in three letters, as compilers allow; of a single letter only its case.
  auto least = static_cast<unsigned>(name.size() == 1 ? 0 : (name.size() + 2) / 3) + 1;
  for (llvm::StringRef candidate : known) {
    if (candidate.size() > mostLength)
      continue;
    unsigned distance =
        isPartOf(lower, candidate.lower())
            ? std::min(1u, least - 1)
            : llvm::StringRef(lower).edit_distance(candidate.lower(), /*AllowReplacements=*/true, least);
    if (distance >= least)
      continue;
    least = distance;
    nearest = candidate;
    if (least == 0)
      break;
  }
  return nearest;
}

std::string adviseName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known, llvm::StringRef what) {
  if (std::optional<llvm::StringRef> nearest = findNearestName(name, known))
    return "did you mean '" + nearest->str() + "'?";
  if (known.empty())
    return "there are no " + what.str();
  std::string rest = known.size() > mostListed ? " and " + std::to_string(known.size() - mostListed) + " more" : "";
  return what.str() + " are " + llvm::join(known.take_front(mostListed), ", ") + rest;
}

} // namespace partita
