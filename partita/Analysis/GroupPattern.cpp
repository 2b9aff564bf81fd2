//===- GroupPattern.cpp - one pattern for the names of a group ------------===//

#include "partita/Analysis/ArgumentGroups.h"
#include "partita/Graph/Paths.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

namespace partita::analysis {

/// Alternating texts and numbers, beginning with a text.
static std::vector<llvm::StringRef> splitAtNumbers(llvm::StringRef name) {
  std::vector<llvm::StringRef> parts;
  for (bool isNumber = false; !name.empty() || parts.empty(); isNumber = !isNumber) {
    parts.push_back(name.take_while([&](char c) { return llvm::isDigit(c) == isNumber; }));
    name = name.drop_front(parts.back().size());
  }
  return parts;
}

/// A pattern with any number at the positions where the names differ; empty if they differ in other text.
static std::string generalize(llvm::ArrayRef<std::string> names) {
  std::vector<llvm::StringRef> first = splitAtNumbers(names.front());
  std::vector<uint8_t> differs(first.size(), 0);
  for (const std::string &name : names) {
    std::vector<llvm::StringRef> parts = splitAtNumbers(name);
    if (parts.size() != first.size())
      return "";
    for (size_t i = 0; i < parts.size(); ++i)
      differs[i] |= parts[i] != first[i];
  }
  std::string pattern;
  for (size_t i = 0; i < first.size(); ++i) {
    bool isNumber = i % 2 == 1;
    if (differs[i] && !isNumber)
      return "";
    pattern += differs[i] ? "[0-9]+" : escapePattern(first[i]);
  }
  return pattern;
}

/// A pattern for inner values with their names and numbers: `jit(step)/add#(3|9)`.
static std::string joinOccurrences(const Graph &graph, llvm::ArrayRef<CellId> members) {
  std::map<NameId, std::vector<std::string>> numbers;
  for (CellId cell : members)
    numbers[graph.cells[cell].name].push_back(std::to_string(graph.cells[cell].occurrence));
  std::vector<std::string> alternatives;
  for (const auto &[name, list] : numbers)
    alternatives.push_back(escapePattern(graph.getName(name)) + "#" +
                           (list.size() == 1 ? list.front() : "(" + llvm::join(list, "|") + ")"));
  return llvm::join(alternatives, "|");
}

std::string buildGroupPattern(const CellNames &names, const Graph &graph, llvm::ArrayRef<CellId> members) {
  if (graph.cells[members.front()].occurrence != noOccurrence)
    return joinOccurrences(graph, members);
  std::vector<CellId> sorted(members);
  llvm::sort(sorted);
  std::vector<std::string> list, escaped;
  for (CellId cell : members) {
    list.push_back(names.getName(cell));
    escaped.push_back(escapePattern(list.back()));
  }
  auto isExact = [&](llvm::StringRef text) {
    Result<Pattern> pattern = Pattern::parse(text, {});
    if (text.empty() || !pattern)
      return false;
    std::vector<CellId> matched = names.match(*pattern);
    llvm::sort(matched);
    return matched == sorted;
  };
  if (list.size() == 1)
    return escaped.front();
  if (std::string pattern = generalize(list); !pattern.empty()) {
    if (isExact(pattern))
      return pattern;
    if (pattern = joinNames(list); isExact(pattern))
      return pattern;
  }
  return llvm::join(escaped, "|");
}

std::string buildGroupPattern(const Graph &graph, const ArgumentGroup &group) {
  return buildGroupPattern(CellNames(graph), graph, group.members);
}

} // namespace partita::analysis
