//===- LegacyShardingsText.cpp - parses XLA's notation of shardings -------===//

#include "partita/Program/Import/LegacyShardingsText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace partita::program::import {

namespace {

/// More devices than any machine has. It bounds the list of device numbers.
constexpr int64_t maxDevices = 1 << 20;

class Parser {
public:
  Parser(llvm::StringRef text, std::string &whyNot) : whole(text), rest(text), whyNot(whyNot) {}

  std::optional<llvm::SmallVector<HloSharding>> run();

private:
  bool parseSharding(HloSharding &sharding);
  bool parseTiled(HloSharding &sharding);
  bool parseIota(llvm::SmallVectorImpl<int64_t> &devices);
  bool parseGroups(HloSharding &sharding);
  bool skipMetadata();
  bool parseNumber(int64_t &number);
  bool parseNumbers(llvm::SmallVectorImpl<int64_t> &numbers);
  bool parseList(llvm::SmallVectorImpl<int64_t> &numbers, llvm::StringRef open, llvm::StringRef close);
  bool verify(const HloSharding &sharding);

  bool accept(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool expect(llvm::StringRef token) { return accept(token) || fail("'" + token + "' is expected"); }
  bool fail(const llvm::Twine &reason) {
    if (whyNot.empty())
      whyNot = (reason + " at character " + llvm::Twine(whole.size() - rest.size() + 1)).str();
    return false;
  }

  llvm::StringRef whole, rest;
  std::string &whyNot;
};

} // namespace

bool Parser::parseNumber(int64_t &number) {
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number) || number < 0)
    return fail("a number is expected");
  return true;
}

bool Parser::parseNumbers(llvm::SmallVectorImpl<int64_t> &numbers) {
  do {
    int64_t number;
    if (!parseNumber(number))
      return false;
    numbers.push_back(number);
  } while (accept(","));
  return true;
}

bool Parser::parseList(llvm::SmallVectorImpl<int64_t> &numbers, llvm::StringRef open, llvm::StringRef close) {
  return expect(open) && parseNumbers(numbers) && expect(close);
}

/// The number of elements of an array, nothing if it is empty or beyond the limit.
static std::optional<int64_t> countElements(llvm::ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim <= 0 || llvm::MulOverflow(count, dim, count) || count > maxDevices)
      return std::nullopt;
  return count;
}

static bool isPermutation(llvm::ArrayRef<int64_t> numbers) {
  llvm::SmallVector<bool> seen(numbers.size());
  for (int64_t number : numbers) {
    if (number < 0 || number >= static_cast<int64_t>(numbers.size()) || seen[number])
      return false;
    seen[number] = true;
  }
  return true;
}

/// `<=[2,4]T(1,0)`: the numbers 0 to 7 as a 2x4 array, transposed.
bool Parser::parseIota(llvm::SmallVectorImpl<int64_t> &devices) {
  llvm::SmallVector<int64_t> dims, order;
  if (!parseList(dims, "[", "]"))
    return false;
  if (accept("T")) {
    if (!parseList(order, "(", ")"))
      return false;
  } else {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  std::optional<int64_t> count = countElements(dims);
  if (!count || order.size() != dims.size() || !isPermutation(order))
    return fail("the order of devices makes no sense");
  llvm::SmallVector<int64_t> strides(dims.size(), 1);
  for (size_t dim = dims.size() - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim] * dims[dim];
  devices.assign(1, 0);
  for (int64_t dim : order) {
    llvm::SmallVector<int64_t> longer;
    longer.reserve(devices.size() * dims[dim]);
    for (int64_t device : devices)
      for (int64_t digit = 0; digit < dims[dim]; ++digit)
        longer.push_back(device + digit * strides[dim]);
    devices.assign(longer.begin(), longer.end());
  }
  return true;
}

bool Parser::parseGroups(HloSharding &sharding) {
  if (accept("last_tile_dim_replicate")) {
    sharding.groups.push_back(HloSharding::ReplicatedGroup);
    return true;
  }
  if (!accept("last_tile_dims="))
    return true;
  if (!expect("{"))
    return false;
  do {
    if (accept("replicated"))
      sharding.groups.push_back(HloSharding::ReplicatedGroup);
    else if (accept("manual"))
      sharding.groups.push_back(HloSharding::ManualGroup);
    else if (accept("unreduced"))
      sharding.groups.push_back(HloSharding::UnreducedGroup);
    else
      return fail("'replicated', 'manual' or 'unreduced' is expected");
  } while (accept(","));
  return expect("}");
}

/// Metadata says where the sharding came from. It is not needed.
bool Parser::skipMetadata() {
  if (!accept("metadata="))
    return true;
  if (!accept("{"))
    return fail("'{' is expected");
  bool isInText = false;
  for (int depth = 1; depth > 0; rest = rest.drop_front()) {
    if (rest.empty())
      return fail("'}' is expected");
    char c = rest.front();
    if (isInText && c == '\\' && rest.size() > 1)
      rest = rest.drop_front();
    else if (c == '"')
      isInText = !isInText;
    else if (!isInText)
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
  }
  return true;
}

bool Parser::verify(const HloSharding &sharding) {
  std::optional<int64_t> count = countElements(sharding.dims);
  if (!count)
    return fail("the array of devices is empty or too large");
  if (sharding.groups.size() > sharding.dims.size())
    return fail("there are more groups than dims");
  if (*count != static_cast<int64_t>(sharding.devices.size()))
    return fail("the array of devices and its numbers differ in size");
  return isPermutation(sharding.devices) || fail("devices are missing or named twice");
}

bool Parser::parseTiled(HloSharding &sharding) {
  sharding.kind = HloSharding::Tiled;
  if (!parseList(sharding.dims, "[", "]"))
    return false;
  bool hasDevices = accept("<=") ? parseIota(sharding.devices) : parseNumbers(sharding.devices);
  return hasDevices && parseGroups(sharding) && verify(sharding);
}

bool Parser::parseSharding(HloSharding &sharding) {
  if (!expect("{"))
    return false;
  bool ok = true;
  if (accept("replicated"))
    sharding.kind = HloSharding::Replicated;
  else if (accept("manual"))
    sharding.kind = HloSharding::Manual;
  else if (accept("unknown"))
    sharding.kind = HloSharding::Unknown;
  else if (accept("maximal")) {
    sharding.kind = HloSharding::Maximal;
    ok = expect("device=") && parseNumber(sharding.device);
  } else if (accept("devices="))
    ok = parseTiled(sharding);
  else
    return fail("no sharding that is known here");
  return ok && skipMetadata() && expect("}");
}

std::optional<llvm::SmallVector<HloSharding>> Parser::run() {
  llvm::SmallVector<HloSharding> shardings;
  llvm::StringRef afterBrace = rest.ltrim();
  bool isTuple = afterBrace.consume_front("{") && afterBrace.ltrim().starts_with("{");
  bool ok = !isTuple || expect("{");
  do
    ok = ok && parseSharding(shardings.emplace_back());
  while (ok && isTuple && accept(","));
  ok = ok && (!isTuple || expect("}")) && (rest.trim().empty() || fail("the text goes on"));
  return ok ? std::optional(std::move(shardings)) : std::nullopt;
}

std::optional<llvm::SmallVector<HloSharding>> parseHloShardings(llvm::StringRef text, std::string &whyNot) {
  return Parser(text, whyNot).run();
}

} // namespace partita::program::import
