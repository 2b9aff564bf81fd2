//===- Paths.cpp - value names as paths and patterns ----------------------===//

#include "partita/Graph/Paths.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

#include <vector>

namespace partita::graph {

/// Consumes `'key'` or `"key"` with escapes, or any other text up to the closing bracket.
static std::string takeKey(llvm::StringRef &rest) {
  std::string key;
  char quote = rest.empty() ? '\0' : rest.front();
  bool isQuoted = quote == '\'' || quote == '"';
  if (isQuoted)
    rest = rest.drop_front();
  while (!rest.empty() && rest.front() != (isQuoted ? quote : ']')) {
    if (rest.front() == '\\' && rest.size() > 1)
      rest = rest.drop_front();
    key += rest.front();
    rest = rest.drop_front();
  }
  if (isQuoted && !rest.empty())
    rest = rest.drop_front();
  return key;
}

llvm::SmallVector<std::string> splitPath(llvm::StringRef name) {
  llvm::SmallVector<std::string> parts;
  auto append = [&](std::string part) {
    if (!part.empty())
      parts.push_back(std::move(part));
  };
  while (!name.empty()) {
    if (name.consume_front("[")) {
      append(takeKey(name));
      name.consume_front("]");
      continue;
    }
    name.consume_front(".");
    llvm::StringRef part = name.take_until([](char c) { return c == '.' || c == '['; });
    append(part.str());
    name = name.drop_front(part.size());
  }
  return parts;
}

std::string toPath(llvm::StringRef name) { return llvm::join(splitPath(name), "/"); }

std::string collapseNumbers(llvm::StringRef name) {
  std::string collapsed;
  while (!name.empty()) {
    llvm::StringRef number = name.take_while(llvm::isDigit);
    name = name.drop_front(number.size());
    bool standsAlone = !collapsed.empty() && llvm::StringRef("[#_/'\"").contains(collapsed.back()) &&
                       (name.empty() || !llvm::isAlpha(name.front()));
    collapsed += !number.empty() && standsAlone ? "*" : number.str();
    collapsed += name.take_front().str();
    name = name.drop_front(name.empty() ? 0 : 1);
  }
  return collapsed;
}

/// Splits `layer_3/w` into `layer_`, `3`, `/w`: numbers are at odd positions.
static std::vector<std::string> splitAtNumbers(llvm::StringRef name) {
  std::vector<std::string> parts;
  while (!name.empty() || parts.size() % 2 != 1) {
    bool isNumber = parts.size() % 2 == 1;
    parts.push_back(name.take_while([&](char c) { return llvm::isDigit(c) == isNumber; }).str());
    name = name.drop_front(parts.back().size());
  }
  return parts;
}

std::string joinNames(llvm::ArrayRef<std::string> names) {
  std::vector<std::vector<std::string>> columns;
  for (const std::string &name : names) {
    std::vector<std::string> parts = splitAtNumbers(name);
    columns.resize(std::max(columns.size(), parts.size()));
    for (auto [column, part] : llvm::zip(columns, parts))
      if (!llvm::is_contained(column, part))
        column.push_back(part);
  }
  std::string pattern;
  for (const std::vector<std::string> &column : columns) {
    std::vector<std::string> escaped;
    for (const std::string &part : column)
      escaped.push_back(llvm::Regex::escape(part));
    pattern += escaped.size() == 1 ? escaped.front() : "(" + llvm::join(escaped, "|") + ")";
  }
  return pattern;
}

} // namespace partita::graph
