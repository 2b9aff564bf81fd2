//===- Pattern.h - POSIX patterns that match whole names ------------------===//

#ifndef PARTITA_SCHEDULE_PATTERN_H
#define PARTITA_SCHEDULE_PATTERN_H

#include "partita/Schedule/Rooms.h"
#include "partita/Support/Error.h"

#include "llvm/Support/Regex.h"

#include <memory>
#include <string>
#include <vector>

namespace partita::schedule {

/// A pattern of a schedule. It matches a name if the regular expression matches all of it, or if its text equals the
/// name: as a regular expression, `params['w']` would not match itself.
class Pattern {
public:
  /// Parses POSIX extended syntax. Refuses what Python's `re` adds to it (`\d`, `\w`, `(?`) and names the alternative.
  /// `location` is used in errors only.
  static Result<Pattern> parse(llvm::StringRef text, const SourceLocation &location);

  bool matches(llvm::StringRef name) const;
  const std::string &getText() const { return text; }
  /// If the pattern is only a list of names, these, sorted; it matches them and its own text. Otherwise none.
  llvm::ArrayRef<std::string> getListed() const {
    return listed ? llvm::ArrayRef(*listed) : llvm::ArrayRef<std::string>();
  }

private:
  explicit Pattern(llvm::StringRef text) : text(text.str()) {}

  std::string text;
  /// All names that match begin and end with these. Most other names are rejected by them, faster than by the regex.
  std::string prefix, suffix;
  /// Compiled once and shared by copies. Null if the pattern is a list of names.
  std::shared_ptr<const llvm::Regex> regex;
  /// The names of a pattern that is only a list of names, sorted; otherwise null. There may be thousands, and as many
  /// names to match.
  std::shared_ptr<const std::vector<std::string>> listed;
};

/// The names that `a|b#(1|2)` lists, sorted: `a`, `b#1`, `b#2`. Empty if the pattern is not only a list.
std::vector<std::string> listNames(llvm::StringRef pattern);

/// The pattern that matches `name` and nothing else.
std::string escapePattern(llvm::StringRef name);

} // namespace partita::schedule

#endif
