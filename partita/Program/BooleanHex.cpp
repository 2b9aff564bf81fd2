//===- BooleanHex.cpp - large boolean constants in text -------------------===//

#include "partita/Program/BooleanHex.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace partita::program {

namespace {

/// A `dense<"0x...">` of a text and the shape of its type.
struct BooleanConstant {
  /// Where the digits begin, after `0x`.
  size_t begin = 0;
  StringRef digits;
  llvm::SmallVector<int64_t, 4> shape;
  int64_t count = 1;
};

} // namespace

/// Reads the sizes of a type such as `tensor<2x3xi1>` at the start of `rest`; false for other types.
static bool parseBooleanType(StringRef rest, BooleanConstant &constant) {
  rest = rest.ltrim();
  if (!rest.consume_front(":"))
    return false;
  rest = rest.ltrim();
  if (!rest.consume_front("tensor<") && !rest.consume_front("vector<"))
    return false;
  while (!rest.consume_front("i1>")) {
    int64_t size = 0;
    if (rest.consumeInteger(10, size) || size < 0 || !rest.consume_front("x") ||
        llvm::MulOverflow(constant.count, size, constant.count))
      return false;
    constant.shape.push_back(size);
  }
  return true;
}

/// The first hexadecimal constant of booleans at or after `from`. Quotes within strings are escaped, so a match is a
/// constant or stands in a comment.
static std::optional<BooleanConstant> findBooleans(StringRef text, size_t from) {
  constexpr StringRef opening = "dense<\"0x", closing = "\">";
  for (size_t at = text.find(opening, from); at != StringRef::npos; at = text.find(opening, at + 1)) {
    BooleanConstant constant;
    constant.begin = at + opening.size();
    StringRef rest = text.drop_front(constant.begin);
    constant.digits = rest.take_while(llvm::isHexDigit);
    rest = rest.drop_front(constant.digits.size());
    if (constant.digits.size() % 2 == 0 && rest.consume_front(closing) && parseBooleanType(rest, constant))
      return constant;
  }
  return std::nullopt;
}

static bool isZero(StringRef byte) { return byte == "00"; }

/// The digits as the parser expects them, never longer than the given ones. Nothing if they need no change.
static std::optional<std::string> pack(const BooleanConstant &constant) {
  size_t bytes = constant.digits.size() / 2;
  if (bytes == 1)
    return std::string(isZero(constant.digits) ? "00" : "FF");
  if (bytes != static_cast<size_t>(constant.count))
    return std::nullopt;
  std::string packed(llvm::divideCeil(bytes, 8), '\0');
  for (size_t i = 0; i < bytes; ++i)
    if (!isZero(constant.digits.substr(2 * i, 2)))
      packed[i / 8] |= static_cast<char>(1 << (i % 8));
  return llvm::toHex(packed);
}

std::optional<std::string> packBooleanHex(StringRef text) {
  std::optional<std::string> changed;
  for (auto found = findBooleans(text, 0); found; found = findBooleans(text, found->begin)) {
    std::optional<std::string> digits = pack(*found);
    if (!digits)
      continue;
    if (!changed)
      changed = text.str();
    // The closing quote follows the new digits; spaces fill the gap.
    std::string replaced = *digits + "\"";
    replaced.resize(found->digits.size() + 1, ' ');
    changed->replace(found->begin, replaced.size(), replaced);
  }
  return changed;
}

static bool isSet(StringRef packed, int64_t index) {
  return (llvm::hexDigitValue(packed[2 * (index / 8) + (index % 8 < 4 ? 1 : 0)]) >> (index % 4)) & 1;
}

/// `[[true, false], [false, false]]`; `index` goes through the elements.
static void appendWords(const BooleanConstant &constant, llvm::ArrayRef<int64_t> shape, int64_t &index,
                        std::string &out) {
  if (shape.empty()) {
    out += isSet(constant.digits, index++) ? "true" : "false";
    return;
  }
  for (int64_t i = 0; i < shape.front(); ++i) {
    out += i == 0 ? "[" : ", ";
    appendWords(constant, shape.drop_front(), index, out);
  }
  out += "]";
}

static void appendBooleans(const BooleanConstant &constant, BooleanText form, std::string &out) {
  int64_t index = 0;
  if (form == BooleanText::Words) {
    appendWords(constant, constant.shape, index, out);
    return;
  }
  out += "\"0x";
  for (; index < constant.count; ++index)
    out += isSet(constant.digits, index) ? "01" : "00";
  out += "\"";
}

std::string unpackBooleanHex(std::string text, BooleanText form) {
  std::string out;
  constexpr size_t quoteAndPrefix = 3;
  size_t copied = 0;
  for (auto found = findBooleans(text, 0); found; found = findBooleans(text, found->begin)) {
    if (found->count == 0 || found->digits.size() / 2 != llvm::divideCeil(static_cast<uint64_t>(found->count), 8))
      continue;
    out.append(text, copied, found->begin - quoteAndPrefix - copied);
    appendBooleans(*found, form, out);
    copied = found->begin + found->digits.size() + 1;
  }
  if (copied == 0)
    return text;
  return out.append(text, copied);
}

} // namespace partita::program
