//===- Spelling.cpp - what a name that is not known was meant to be -------===//

#include "partita/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace partita {

/// Names are compared up to this length: the work is that length squared for each of them.
static constexpr size_t mostLength = 200;
/// More names than this are not listed.
static constexpr size_t mostListed = 24;

static bool isLastPart(llvm::StringRef part, llvm::StringRef name) {
  return !part.empty() && name.size() > part.size() && name.ends_with(part) &&
         name.drop_back(part.size()).ends_with("/");
}

std::optional<llvm::StringRef> findNearestName(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  if (name.empty() || name.size() > mostLength)
    return std::nullopt;
  std::string lower = name.lower();
  std::optional<llvm::StringRef> nearest;
  // One slip in a short name, one in three letters of a long one.
  auto least = static_cast<unsigned>(std::max<size_t>(1, name.size() / 3)) + 1;
  for (llvm::StringRef candidate : known) {
    if (candidate.size() > mostLength)
      continue;
    unsigned distance =
        isLastPart(name, candidate)
            ? 1
            : llvm::StringRef(lower).edit_distance(candidate.lower(), /*AllowReplacements=*/true, least);
    if (distance >= least)
      continue;
    least = distance;
    nearest = candidate;
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
