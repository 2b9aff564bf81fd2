//===- Pattern.h - POSIX extended patterns that match whole names ---------===//

#ifndef PARTITA_PROPAGATE_PATTERN_H
#define PARTITA_PROPAGATE_PATTERN_H

#include "partita/Support/Error.h"

#include "llvm/Support/Regex.h"

#include <memory>

namespace partita {

/// A pattern of a schedule. It matches a name if it matches all of it.
class Pattern {
public:
  /// Reads POSIX extended syntax. What Python's `re` adds to it (`\d`, `\w`, `(?`) is refused by name, with what to
  /// write instead. `place` is used in errors only.
  static Result<Pattern> parse(llvm::StringRef text, const Place &place);

  bool matches(llvm::StringRef name) const { return regex->match(name); }
  const std::string &getText() const { return text; }

private:
  Pattern(llvm::StringRef text, llvm::Regex regex)
      : text(text.str()), regex(std::make_shared<llvm::Regex>(std::move(regex))) {}

  std::string text;
  /// Compiled once; copies share it.
  std::shared_ptr<const llvm::Regex> regex;
};

/// The pattern that matches `name` and nothing else.
std::string escapePattern(llvm::StringRef name);

} // namespace partita

#endif
