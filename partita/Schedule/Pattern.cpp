//===- Pattern.cpp - POSIX patterns that match whole names ----------------===//

#include "partita/Schedule/Pattern.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace partita::schedule {

/// Longer patterns, and patterns whose repetitions `{m,n}` multiply to more, would take too long to match.
static constexpr size_t maxPatternBytes = 4096;
static constexpr int64_t maxRepetitions = 65'536;

/// What to write instead of an escape that POSIX does not have.
static llvm::StringRef getInstead(char escaped) {
  switch (escaped) {
  case 'd':
    return "write [0-9]";
  case 'D':
    return "write [^0-9]";
  case 'w':
    return "write [A-Za-z0-9_]";
  case 'W':
    return "write [^A-Za-z0-9_]";
  case 's':
    return "write [[:space:]]";
  case 'S':
    return "write [^[:space:]]";
  default:
    return "write the character without the backslash, or leave it out";
  }
}

/// What follows the bracket expression at the beginning of `rest`. Note that `[]...]`, `[^]...]` and `[[:alpha:]...]`
/// contain brackets.
static llvm::StringRef dropBrackets(llvm::StringRef rest) {
  rest = rest.drop_front();
  rest.consume_front("^");
  rest.consume_front("]");
  while (!rest.empty() && rest.front() != ']') {
    size_t end = rest.starts_with("[:") ? rest.find(":]") : llvm::StringRef::npos;
    rest = rest.drop_front(end == llvm::StringRef::npos ? 1 : end + 2);
  }
  return rest.drop_front(rest.empty() ? 0 : 1);
}

namespace {

/// Finds syntax that POSIX understands differently from what the user meant.
class PatternCheck {
public:
  PatternCheck(llvm::StringRef text, const SourceLocation &location) : rest(text), location(location) {}

  Status run() {
    while (!rest.empty() && !error)
      check();
    return error;
  }

private:
  void check() {
    if (rest.front() == '\\')
      return checkEscape();
    if (rest.front() == '[') {
      rest = dropBrackets(rest);
      return;
    }
    if (rest.starts_with("(?"))
      return fail("'(?' is not POSIX extended syntax", "write a plain group, (...)");
    if (rest.front() == '{')
      checkRepetition();
    rest = rest.drop_front();
  }

  void checkEscape() {
    char escaped = rest.size() > 1 ? rest[1] : '\0';
    if (llvm::isAlnum(escaped))
      return fail("'\\" + std::string(1, escaped) + "' is not POSIX extended syntax", getInstead(escaped).str());
    rest = rest.drop_front(std::min<size_t>(rest.size(), 2));
  }

  void checkRepetition() {
    llvm::StringRef bounds = rest.drop_front().take_until([](char c) { return c == '}'; });
    auto [low, high] = bounds.split(',');
    int64_t times = 0;
    if ((high.empty() ? low : high).getAsInteger(10, times) || times <= 1)
      return;
    repetitions = times > maxRepetitions ? maxRepetitions + 1 : repetitions * times;
    if (repetitions > maxRepetitions)
      fail("the repetitions of the pattern multiply to more than " + std::to_string(maxRepetitions), "");
  }

  void fail(std::string reason, std::string remedy) {
    error = Error::badInput(location, std::move(reason)).withRemedy(std::move(remedy));
  }

  llvm::StringRef rest;
  const SourceLocation &location;
  int64_t repetitions = 1;
  Status error;
};

} // namespace

namespace {

/// Parses a pattern as a list of names, if it is one.
class NameList {
public:
  explicit NameList(llvm::StringRef pattern) : rest(pattern) {}

  std::vector<std::string> read() {
    do
      readAlternative();
    while (isList && rest.consume_front("|"));
    if (!isList || !rest.empty())
      return {};
    llvm::sort(names);
    return std::move(names);
  }

private:
  /// Plain characters, up to a special one.
  std::string readLiteral() {
    std::string literal;
    while (!rest.empty()) {
      if (rest.front() == '\\' && rest.size() > 1)
        rest = rest.drop_front();
      else if (llvm::StringRef("^.[]$()|*+?{}\\").contains(rest.front()))
        break;
      literal += rest.front();
      rest = rest.drop_front();
    }
    return literal;
  }

  /// `name`, or `name(a|b)`.
  void readAlternative() {
    std::string prefix = readLiteral();
    if (!rest.consume_front("(")) {
      isList &= !prefix.empty();
      names.push_back(std::move(prefix));
      return;
    }
    do {
      std::string end = readLiteral();
      isList &= !end.empty();
      names.push_back(prefix + end);
    } while (isList && rest.consume_front("|"));
    isList &= rest.consume_front(")");
  }

  llvm::StringRef rest;
  std::vector<std::string> names;
  bool isList = true;
};

} // namespace

std::vector<std::string> listNames(llvm::StringRef pattern) { return NameList(pattern).read(); }

/// The literal beginning and end of a pattern: `a.b` and `c` for `a\.b[0-9]+c`.
static std::pair<std::string, std::string> findLiteralEnds(llvm::StringRef rest) {
  // Each alternative has its own beginning and end.
  if (rest.contains('|'))
    return {};
  std::string prefix, run;
  bool isPrefix = true;
  auto endRun = [&] {
    if (isPrefix)
      prefix = run;
    isPrefix = false;
    run.clear();
  };
  while (!rest.empty()) {
    char c = rest.front();
    if (c == '[') {
      rest = dropBrackets(rest);
      endRun();
      continue;
    }
    bool isEscaped = c == '\\' && rest.size() > 1, isRepeated = llvm::StringRef("*+?{").contains(c);
    if (isEscaped) {
      run += rest[1];
    } else if (llvm::StringRef("^.$()]}\\").contains(c) || isRepeated) {
      // The character before a repetition may be missing.
      if (isRepeated && !run.empty())
        run.pop_back();
      endRun();
    } else {
      run += c;
    }
    rest = c == '{' ? rest.drop_until([](char c) { return c == '}'; }) : rest.drop_front(isEscaped ? 2 : 1);
  }
  return {isPrefix ? run : prefix, run};
}

bool Pattern::matches(llvm::StringRef name) const {
  if (name == text)
    return true;
  if (!listed)
    return name.starts_with(prefix) && name.ends_with(suffix) && regex->match(name);
  return std::binary_search(listed->begin(), listed->end(), name, std::less<llvm::StringRef>());
}

Result<Pattern> Pattern::parse(llvm::StringRef text, const SourceLocation &location) {
  if (text.empty())
    return Error::badInput(location, "the pattern is empty");
  if (text.size() > maxPatternBytes || text.contains('\0'))
    return Error::badInput(location, "the pattern is longer than " + std::to_string(maxPatternBytes) +
                                         " bytes, or holds a zero byte");
  if (Status error = PatternCheck(text, location).run())
    return std::move(*error);
  Pattern pattern(text);
  if (std::vector<std::string> names = listNames(text); !names.empty()) {
    pattern.listed = std::make_shared<std::vector<std::string>>(std::move(names));
    return pattern;
  }
  std::string reason;
  auto refuse = [&] {
    return Error::badInput(location, "the pattern '" + text.str() + "' is wrong: " + reason)
        .withRemedy("a pattern is a regular expression for whole names; any text is .*, as in .*/weight");
  };
  // Compile the text alone first, so that an extra closing bracket cannot match the one added below.
  if (!llvm::Regex(text).isValid(reason))
    return refuse();
  llvm::Regex whole("^(" + text.str() + ")$");
  if (!whole.isValid(reason))
    return refuse();
  pattern.regex = std::make_shared<llvm::Regex>(std::move(whole));
  std::tie(pattern.prefix, pattern.suffix) = findLiteralEnds(text);
  return pattern;
}

std::string escapePattern(llvm::StringRef name) { return llvm::Regex::escape(name); }

} // namespace partita::schedule
