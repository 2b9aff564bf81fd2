//===- MergedNames.cpp - one name for values that differ in numbers -------===//

#include "partita/Report/MergedNames.h"

#include "partita/Graph/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <vector>

namespace partita::report {

/// The pieces of a name: digits, and what is between them.
static std::vector<llvm::StringRef> splitNumbers(llvm::StringRef name) {
  std::vector<llvm::StringRef> pieces;
  while (!name.empty()) {
    bool isNumber = llvm::isDigit(name.front());
    llvm::StringRef piece = name.take_while([&](char c) { return llvm::isDigit(c) == isNumber; });
    pieces.push_back(piece);
    name = name.drop_front(piece.size());
  }
  return pieces;
}

/// Indices of a list, as one would write them in its brackets: `0:24`, `1:8:2`, `0, 3, 5`, `0, 3, 5, ...`.
static std::string printIndices(std::vector<int64_t> indices) {
  constexpr size_t maxListed = 4;
  llvm::sort(indices);
  indices.erase(llvm::unique(indices), indices.end());
  int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 1;
  bool isRange = indices.size() > (step == 1 ? 1u : 2u);
  for (size_t i = 1; i < indices.size(); ++i)
    isRange = isRange && indices[i] - indices[i - 1] == step;
  if (isRange)
    return std::to_string(indices.front()) + ":" + std::to_string(indices.back() + 1) +
           (step == 1 ? "" : ":" + std::to_string(step));
  std::string text;
  for (int64_t index : llvm::ArrayRef(indices).take_front(maxListed))
    text += (text.empty() ? "" : ", ") + std::to_string(index);
  return text + (indices.size() > maxListed ? ", ..." : "");
}

/// What stands in place of the pieces of `names` at `place`, the only one at which they differ; nothing if it is no
/// index of a list.
static std::optional<std::string> mergeIndices(llvm::ArrayRef<std::vector<llvm::StringRef>> names, size_t place) {
  llvm::ArrayRef<llvm::StringRef> first = names.front();
  if (place == 0 || place + 1 >= first.size() || !first[place - 1].ends_with("[") || !first[place + 1].starts_with("]"))
    return std::nullopt;
  std::vector<int64_t> indices;
  for (const std::vector<llvm::StringRef> &pieces : names)
    if (pieces[place].getAsInteger(10, indices.emplace_back()))
      return std::nullopt;
  return printIndices(std::move(indices));
}

std::string mergeNames(llvm::ArrayRef<std::string> names) {
  std::vector<std::vector<llvm::StringRef>> split;
  for (llvm::StringRef name : names) {
    split.push_back(splitNumbers(name));
    if (split.back().size() != split.front().size())
      return graph::collapseNumbers(name);
  }
  llvm::ArrayRef<llvm::StringRef> first = split.front();
  std::vector<size_t> places;
  for (size_t place = 0; place < first.size(); ++place)
    if (llvm::any_of(split, [&](const auto &pieces) { return pieces[place] != first[place]; }))
      places.push_back(place);
  std::string others = "*";
  if (places.size() == 1)
    others = mergeIndices(split, places.front()).value_or(others);
  std::string merged;
  for (size_t place = 0; place < first.size(); ++place)
    merged += llvm::is_contained(places, place) ? others : first[place].str();
  return merged;
}

} // namespace partita::report
