//===- Quantity.cpp - numbers with units ----------------------------------===//
//
// A number is digits * 10^exponent and its unit a whole multiple of the base
// unit, so the value is digits * multiple * 10^exponent: a product of integers,
// divided by a power of ten at the end.
//
//===----------------------------------------------------------------------===//

#include "partita/Machine/Quantity.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"

namespace partita::machine {

using Wide = unsigned __int128;

/// Digits and multiples have at most 19 and 16 decimal places: their product and ten times that fit into 128 bits.
static constexpr int mostDigits = 19;

namespace {

struct UnitName {
  llvm::StringLiteral name;
  int64_t multiple;
};

/// The text of a number: -12.5e3 is 125 * 10^2, negative.
struct Decimal {
  bool isNegative = false;
  uint64_t digits = 0;
  int exponent = 0;
};

} // namespace

static constexpr UnitName byteUnits[] = {
    {"B", 1},
    {"kB", 1'000},
    {"KB", 1'000},
    {"MB", 1'000'000},
    {"GB", 1'000'000'000},
    {"TB", 1'000'000'000'000},
    {"KiB", 1 << 10},
    {"MiB", 1 << 20},
    {"GiB", 1 << 30},
    {"TiB", int64_t(1) << 40},
};
/// Networks are sold in bits: `Gb/s`.
static constexpr UnitName bitUnits[] = {
    {"kb", 125}, {"Mb", 125'000}, {"Gb", 125'000'000}, {"Tb", 125'000'000'000}, {"Gbit", 125'000'000}};
static constexpr UnitName flopUnits[] = {
    {"", 1}, {"M", 1'000'000}, {"G", 1'000'000'000}, {"T", 1'000'000'000'000}, {"P", 1'000'000'000'000'000}};
static constexpr UnitName timeUnits[] = {{"ps", 1},
                                         {"ns", 1'000},
                                         {"us", 1'000'000},
                                         {"\xC2\xB5s", 1'000'000},
                                         {"\xCE\xBCs", 1'000'000},
                                         {"ms", 1'000'000'000},
                                         {"s", 1'000'000'000'000}};
static constexpr UnitName shareUnits[] = {{"ppm", 1}, {"%", 10'000}};

static std::optional<int64_t> findMultiple(llvm::ArrayRef<UnitName> units, llvm::StringRef name) {
  for (const UnitName &unit : units)
    if (unit.name == name)
      return unit.multiple;
  return std::nullopt;
}

static std::optional<int64_t> findRate(llvm::StringRef name) {
  if (!name.consume_back("/s"))
    return std::nullopt;
  std::optional<int64_t> bytes = findMultiple(byteUnits, name);
  return bytes ? bytes : findMultiple(bitUnits, name);
}

/// `TFLOP/s`, `TFLOPS`; of integers `TOP/s`, `TOPS`.
static std::optional<int64_t> findFlops(llvm::StringRef name) {
  for (llvm::StringRef word : {"FLOP/s", "FLOPS", "FLOPs/s", "OP/s", "OPS"})
    if (llvm::StringRef prefix = name; prefix.consume_back(word))
      if (std::optional<int64_t> multiple = findMultiple(flopUnits, prefix))
        return multiple;
  return std::nullopt;
}

static std::optional<int64_t> findMultiple(QuantityUnit unit, llvm::StringRef name) {
  switch (unit) {
  case QuantityUnit::Count:
    return std::nullopt;
  case QuantityUnit::Bytes:
    return findMultiple(byteUnits, name);
  case QuantityUnit::BytesPerSecond:
    return findRate(name);
  case QuantityUnit::FlopsPerSecond:
    return findFlops(name);
  case QuantityUnit::Picoseconds:
    return findMultiple(timeUnits, name);
  case QuantityUnit::Ppm:
    return findMultiple(shareUnits, name);
  }
  return std::nullopt;
}

static llvm::StringRef getForms(QuantityUnit unit) {
  switch (unit) {
  case QuantityUnit::Count:
    return "write a whole number, as 8";
  case QuantityUnit::Bytes:
    return "write whole bytes, as 80000000000 or 8e10, or a text with a unit, as \"80 GB\" or \"80 GiB\"";
  case QuantityUnit::BytesPerSecond:
    return "write whole bytes a second, as 4.5e11, or a text with a unit, as \"450 GB/s\" or \"400 Gb/s\" (bits)";
  case QuantityUnit::FlopsPerSecond:
    return "write whole operations a second, as 9.89e14, or a text with a unit, as \"989 TFLOP/s\"";
  case QuantityUnit::Picoseconds:
    return "write whole picoseconds, as 3500000 or 3.5e6, or a text with a unit, as \"3.5 us\"";
  case QuantityUnit::Ppm:
    return "write whole millionths, as 900000 or 9e5, or a text with a unit, as \"90%\"";
  }
  return "";
}

/// Takes the digits at the start of `text`. A place beyond mostDigits must be 0 and counts in the exponent.
static bool takeDigits(llvm::StringRef &text, Decimal &number, bool isFraction) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  constexpr uint64_t full = 1'000'000'000'000'000'000; // 10^(mostDigits - 1)
  llvm::StringRef significant = isFraction ? digits.rtrim('0') : digits;
  for (char digit : significant) {
    bool isFull = number.digits >= full;
    if (isFull && (digit != '0' || isFraction))
      return false;
    if (!isFull)
      number.digits = number.digits * 10 + static_cast<uint64_t>(digit - '0');
    number.exponent += (isFull ? 1 : 0) - (isFraction ? 1 : 0);
  }
  return !digits.empty() && significant.size() <= 100;
}

/// Takes a number from the start of `text`; false if there is none, or one with too many digits.
static bool takeDecimal(llvm::StringRef &text, Decimal &number) {
  number.isNegative = text.consume_front("-");
  if (!takeDigits(text, number, /*isFraction=*/false))
    return false;
  if (text.consume_front(".") && !takeDigits(text, number, /*isFraction=*/true))
    return false;
  bool hasExponent = text.size() > 1 && (text[0] == 'e' || text[0] == 'E');
  if (!hasExponent)
    return true;
  text = text.drop_front();
  bool isDivided = !text.consume_front("+") && text.consume_front("-");
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  text = text.drop_front(digits.size());
  int exponent = 0;
  if (digits.getAsInteger(10, exponent) || exponent > 1000)
    return false;
  number.exponent += isDivided ? -exponent : exponent;
  return true;
}

/// digits * multiple * 10^exponent, rounded half up; `isWhole` says whether nothing was rounded. Nothing if it is too
/// large.
static std::optional<int64_t> scale(const Decimal &number, int64_t multiple, bool &isWhole) {
  isWhole = true;
  Wide value = static_cast<Wide>(number.digits) * static_cast<Wide>(multiple);
  constexpr Wide most = static_cast<Wide>(INT64_MAX);
  if (value == 0)
    return 0;
  for (int i = 0; i < number.exponent; ++i) {
    value *= 10;
    if (value > most)
      return std::nullopt;
  }
  Wide divisor = 1;
  // A divisor beyond the largest product makes nothing of it.
  for (int i = 0; i < -number.exponent && divisor <= value * 2; ++i)
    divisor *= 10;
  isWhole = value % divisor == 0;
  value = (value + divisor / 2) / divisor;
  if (value > most)
    return std::nullopt;
  return static_cast<int64_t>(value) * (number.isNegative ? -1 : 1);
}

Result<int64_t> parseQuantity(llvm::StringRef text, QuantityUnit unit) {
  auto refuse = [&](const llvm::Twine &reason) {
    return Error::usage(("'" + text.take_front(40) + "' " + reason).str()).withRemedy(getForms(unit).str());
  };
  Decimal number;
  llvm::StringRef rest = text.trim();
  if (!takeDecimal(rest, number))
    return refuse("is not a number of at most " + llvm::Twine(mostDigits) + " digits");
  llvm::StringRef name = rest.trim();
  std::optional<int64_t> multiple = name.empty() ? std::optional<int64_t>(1) : findMultiple(unit, name);
  if (!multiple)
    return refuse(unit == QuantityUnit::Count ? "has a unit, but it is a count" : "has no unit that is known here");
  bool isWhole = true;
  std::optional<int64_t> value = scale(number, *multiple, isWhole);
  if (!value)
    return refuse("is too large");
  if (!isWhole && name.empty())
    return refuse("is not a whole number");
  return *value;
}

} // namespace partita::machine
