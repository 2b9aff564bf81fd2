//===- Pattern.h - POSIX extended patterns that match whole names ---------===//

#ifndef PARTITA_SCHEDULE_PATTERN_H
#define PARTITA_SCHEDULE_PATTERN_H

#include "partita/Schedule/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/Support/Regex.h"

#include <memory>
#include <string>
#include <vector>

namespace partita::schedule {

/// A pattern of a schedule. It matches a name if it matches all of it, or if it is that name: `params['w']` as an
/// expression is something else.
class Pattern {
public:
  /// Reads POSIX extended syntax. What Python's `re` adds to it (`\d`, `\w`, `(?`) is refused by name, with what to
  /// write instead. `place` is used in errors only.
  static Result<Pattern> parse(llvm::StringRef text, const SourceLocation &location);

  bool matches(llvm::StringRef name) const;
  const std::string &getText() const { return text; }

private:
  explicit Pattern(llvm::StringRef text) : text(text.str()) {}

  std::string text;
  /// What all names that match begin and end with: most names are told apart by it, and faster than by the matcher.
  std::string prefix, suffix;
  /// Compiled once; copies share it. Null if the names are listed.
  std::shared_ptr<const llvm::Regex> regex;
  /// The names that it lists, sorted, if it is nothing but a list: there may be thousands of them, and as many names to
  /// match. Null if it is more than that.
  std::shared_ptr<const std::vector<std::string>> listed;
};

/// The names that `a|b#(1|2)` lists, sorted: `a`, `b#1`, `b#2`. Empty if the pattern is more than a list.
std::vector<std::string> listNames(llvm::StringRef pattern);

/// The pattern that matches `name` and nothing else.
std::string escapePattern(llvm::StringRef name);

} // namespace partita::schedule

#endif
