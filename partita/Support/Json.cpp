//===- Json.cpp - JSON that keeps order and positions ---------------------===//
//
// A recursive descent parser of RFC 8259, bounded in depth. Text must be UTF-8;
// a byte order mark is refused, as are duplicate members.
//
//===----------------------------------------------------------------------===//

#include "partita/Support/Json.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/JSON.h"

#include <cmath>

namespace partita {

const JsonValue *JsonValue::find(llvm::StringRef name) const {
  for (const JsonMember &member : members)
    if (member.name == name)
      return &member.value;
  return nullptr;
}

std::optional<int64_t> JsonValue::getInteger() const {
  int64_t value;
  if (kind != Kind::Number || llvm::StringRef(text).getAsInteger(10, value))
    return std::nullopt;
  return value;
}

std::optional<double> JsonValue::getDouble() const {
  double value;
  if (kind != Kind::Number || llvm::StringRef(text).getAsDouble(value) || !std::isfinite(value))
    return std::nullopt;
  return value;
}

namespace {

class Parser {
public:
  Parser(llvm::StringRef text, llvm::StringRef file) : rest(text), file(file) {}

  Result<JsonValue> run();

private:
  bool parseValue(JsonValue &value, unsigned depth);
  bool parseArray(JsonValue &value, unsigned depth);
  bool parseObject(JsonValue &value, unsigned depth);
  bool parseMember(JsonValue &object, llvm::StringSet<> &names, unsigned depth);
  bool parseString(std::string &out);
  bool parseEscape(std::string &out);
  bool parseCodeUnit(unsigned &unit);
  bool parseUnicodeEscape(std::string &out);
  bool parseNumber(JsonValue &value);
  bool parseWord(llvm::StringRef word, const char *wanted);

  void skipSpace();
  char peek() const { return rest.empty() ? '\0' : rest.front(); }
  /// Consumes the next character and keeps count of lines.
  void take();
  bool takeIf(char c);
  bool fail(std::string reason);

  llvm::StringRef rest;
  llvm::StringRef file;
  unsigned line = 1;
  unsigned column = 1;
  std::optional<Error> error;
};

} // namespace

bool Parser::fail(std::string reason) {
  if (!error)
    error = Error::badInput(SourceLocation{file.str(), line, column}, std::move(reason));
  return false;
}

void Parser::take() {
  if (rest.front() == '\n') {
    ++line;
    column = 1;
  } else {
    ++column;
  }
  rest = rest.drop_front();
}

bool Parser::takeIf(char c) {
  if (rest.empty() || rest.front() != c)
    return false;
  take();
  return true;
}

void Parser::skipSpace() {
  while (!rest.empty() && llvm::StringRef(" \t\r\n").contains(rest.front()))
    take();
}

Result<JsonValue> Parser::run() {
  JsonValue value;
  if (rest.starts_with("\xEF\xBB\xBF"))
    fail("the file starts with a byte order mark; save it as UTF-8 without one");
  else if (size_t offset = 0; !llvm::json::isUTF8(rest, &offset))
    fail("the text is not UTF-8 (at byte " + std::to_string(offset) + ")");
  else if (parseValue(value, 0)) {
    skipSpace();
    if (!rest.empty())
      fail("text after the end of the value");
  }
  if (error)
    return std::move(*error);
  return value;
}

bool Parser::parseValue(JsonValue &value, unsigned depth) {
  skipSpace();
  value.line = line;
  value.column = column;
  if (depth > maxJsonDepth)
    return fail("nested more than " + std::to_string(maxJsonDepth) + " deep");
  switch (peek()) {
  case '{':
    return parseObject(value, depth);
  case '[':
    return parseArray(value, depth);
  case '"':
    value.kind = JsonValue::Kind::String;
    return parseString(value.text);
  case 't':
    value.kind = JsonValue::Kind::Bool;
    value.boolean = true;
    return parseWord("true", "true");
  case 'f':
    value.kind = JsonValue::Kind::Bool;
    return parseWord("false", "false");
  case 'n':
    return parseWord("null", "null");
  default:
    return parseNumber(value);
  }
}

bool Parser::parseWord(llvm::StringRef word, const char *wanted) {
  if (!rest.starts_with(word))
    return fail(std::string("expected ") + wanted);
  for (size_t i = 0; i < word.size(); ++i)
    take();
  return true;
}

bool Parser::parseArray(JsonValue &value, unsigned depth) {
  value.kind = JsonValue::Kind::Array;
  take();
  skipSpace();
  if (takeIf(']'))
    return true;
  while (true) {
    if (!parseValue(value.elements.emplace_back(), depth + 1))
      return false;
    skipSpace();
    if (takeIf(']'))
      return true;
    if (!takeIf(','))
      return fail("expected , or ] in the array");
  }
}

bool Parser::parseObject(JsonValue &value, unsigned depth) {
  value.kind = JsonValue::Kind::Object;
  take();
  skipSpace();
  if (takeIf('}'))
    return true;
  llvm::StringSet<> names;
  while (true) {
    if (!parseMember(value, names, depth))
      return false;
    skipSpace();
    if (takeIf('}'))
      return true;
    if (!takeIf(','))
      return fail("expected , or } in the object");
  }
}

bool Parser::parseMember(JsonValue &object, llvm::StringSet<> &names, unsigned depth) {
  skipSpace();
  JsonMember &member = object.members.emplace_back();
  member.line = line;
  member.column = column;
  if (peek() != '"')
    return fail("expected a key in double quotes");
  SourceLocation location{file.str(), line, column};
  if (!parseString(member.name))
    return false;
  if (!names.insert(member.name).second) {
    error = Error::badInput(location, "the key \"" + member.name + "\" stands twice in one object");
    return false;
  }
  skipSpace();
  if (!takeIf(':'))
    return fail("expected : after the key");
  return parseValue(member.value, depth + 1);
}

bool Parser::parseString(std::string &out) {
  take();
  while (!rest.empty()) {
    unsigned char c = rest.front();
    if (c == '"') {
      take();
      return true;
    }
    if (c < 0x20)
      return fail("a control character in a string; write it as an escape");
    if (c == '\\') {
      if (!parseEscape(out))
        return false;
      continue;
    }
    out.push_back(rest.front());
    take();
  }
  return fail("the string does not end");
}

bool Parser::parseEscape(std::string &out) {
  take();
  static constexpr llvm::StringRef letters = "\"\\/bfnrt";
  static constexpr llvm::StringRef meanings = "\"\\/\b\f\n\r\t";
  if (peek() == 'u')
    return parseUnicodeEscape(out);
  size_t index = rest.empty() ? llvm::StringRef::npos : letters.find(rest.front());
  if (index == llvm::StringRef::npos)
    return fail("unknown escape in the string");
  out.push_back(meanings[index]);
  take();
  return true;
}

bool Parser::parseCodeUnit(unsigned &unit) {
  if (!takeIf('u') || rest.size() < 4 || rest.take_front(4).getAsInteger(16, unit) ||
      !llvm::all_of(rest.take_front(4), llvm::isHexDigit))
    return fail("expected four hexadecimal digits after \\u");
  for (int i = 0; i < 4; ++i)
    take();
  return true;
}

bool Parser::parseUnicodeEscape(std::string &out) {
  unsigned unit;
  if (!parseCodeUnit(unit))
    return false;
  unsigned codePoint = unit;
  bool isHigh = unit >= 0xD800 && unit < 0xDC00;
  bool isLow = unit >= 0xDC00 && unit < 0xE000;
  if (isLow)
    return fail("half of a surrogate pair");
  if (isHigh) {
    unsigned low;
    if (!takeIf('\\') || !parseCodeUnit(low))
      return fail("half of a surrogate pair");
    if (low < 0xDC00 || low >= 0xE000)
      return fail("half of a surrogate pair");
    codePoint = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }
  char buffer[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = buffer;
  if (!llvm::ConvertCodePointToUTF8(codePoint, end))
    return fail("not a character");
  out.append(buffer, end);
  return true;
}

bool Parser::parseNumber(JsonValue &value) {
  value.kind = JsonValue::Kind::Number;
  size_t length = 0;
  auto at = [&](size_t i) { return i < rest.size() ? rest[i] : '\0'; };
  auto takeDigits = [&] {
    size_t start = length;
    while (llvm::isDigit(at(length)))
      ++length;
    return length > start;
  };
  if (at(length) == '-')
    ++length;
  bool ok = at(length) == '0' ? (++length, true) : takeDigits();
  if (ok && at(length) == '.')
    ok = (++length, takeDigits());
  if (ok && (at(length) == 'e' || at(length) == 'E')) {
    ++length;
    if (at(length) == '+' || at(length) == '-')
      ++length;
    ok = takeDigits();
  }
  if (!ok || llvm::isAlnum(at(length)))
    return fail("expected a value");
  value.text = rest.take_front(length).str();
  for (size_t i = 0; i < length; ++i)
    take();
  return true;
}

Result<JsonValue> parseJson(llvm::StringRef text, llvm::StringRef file) { return Parser(text, file).run(); }

} // namespace partita
