//===- Npz.cpp - reads and writes NumPy files -----------------------------===//

#include "partita/Support/Npz.h"

#include "partita/Support/MultiIndex.h"
#include "partita/Support/Zip.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using llvm::StringRef;

namespace partita {

static constexpr StringRef magic("\x93NUMPY", 6);

std::string NumpyArray::getDescription() const {
  return (elementBytes == 1 && kind != 'V' ? "|" : "<") + std::string(1, kind) + std::to_string(elementBytes);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// A header, with the file's own key names.
struct Header {
  StringRef description;
  bool isColumnMajor = false;
  llvm::SmallVector<int64_t> shape;
};

/// Reads the dictionary of a header.
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  std::optional<Header> parse() {
    Header header;
    if (!take("{"))
      return std::nullopt;
    while (!take("}")) {
      std::optional<StringRef> key = takeString();
      if (!key || !take(":") || !parseValue(*key, header))
        return std::nullopt;
      take(",");
    }
    if (header.description.empty())
      return std::nullopt;
    return header;
  }

private:
  bool take(StringRef word) {
    rest = rest.ltrim();
    return rest.consume_front(word);
  }

  std::optional<StringRef> takeString() {
    rest = rest.ltrim();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return std::nullopt;
    size_t end = rest.find(rest[0], 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }

  bool parseValue(StringRef key, Header &header) {
    if (key == "descr") {
      std::optional<StringRef> text = takeString();
      header.description = text.value_or("");
      return text.has_value();
    }
    if (key == "fortran_order") {
      header.isColumnMajor = take("True");
      return header.isColumnMajor || take("False");
    }
    return key == "shape" && parseShape(header.shape);
  }

  bool parseShape(llvm::SmallVectorImpl<int64_t> &shape) {
    if (!take("("))
      return false;
    while (!take(")")) {
      int64_t size;
      rest = rest.ltrim();
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      shape.push_back(size);
      take(",");
    }
    return true;
  }

  StringRef rest;
};

} // namespace

/// Turns column-major elements into row-major ones.
static std::string toRowMajor(StringRef bytes, llvm::ArrayRef<int64_t> shape, int64_t elementBytes) {
  std::string result(bytes.size(), '\0');
  llvm::SmallVector<int64_t> index(shape.size()), strides(shape.size());
  int64_t stride = 1;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    strides[dim] = stride;
    stride *= size;
  }
  if (bytes.empty())
    return result;
  char *out = result.data();
  do {
    int64_t from = 0;
    for (auto [position, step] : llvm::zip_equal(index, strides))
      from += position * step;
    out = std::copy_n(bytes.data() + from * elementBytes, elementBytes, out);
  } while (increment(index, shape));
  return result;
}

/// The header's text and what follows it.
static std::optional<std::pair<StringRef, StringRef>> splitHeader(StringRef bytes) {
  if (!bytes.consume_front(magic) || bytes.size() < 4)
    return std::nullopt;
  unsigned version = static_cast<unsigned char>(bytes[0]);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (version < 1 || version > 3 || bytes.size() < 2 + lengthBytes)
    return std::nullopt;
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(bytes[2 + i])) << (8 * i);
  bytes = bytes.drop_front(2 + lengthBytes);
  if (length > bytes.size())
    return std::nullopt;
  return std::make_pair(bytes.take_front(length), bytes.drop_front(length));
}

/// Swaps the bytes of each number; a complex one is two numbers.
static void swapBytes(std::string &bytes, int64_t numberBytes) {
  for (size_t at = 0; at + numberBytes <= bytes.size(); at += numberBytes)
    std::reverse(bytes.begin() + at, bytes.begin() + at + numberBytes);
}

/// Parses a type such as '<f4' into `array`; false if no tensor has such elements.
static bool parseDescription(StringRef description, NumpyArray &array) {
  if (description.size() < 3 || !StringRef("<>|=").contains(description[0]) ||
      !StringRef("biufcV").contains(description[1]))
    return false;
  array.kind = description[1];
  return !description.drop_front(2).getAsInteger(10, array.elementBytes) && array.elementBytes > 0 &&
         array.elementBytes <= 16;
}

static std::optional<int64_t> countBytes(const NumpyArray &array) {
  int64_t bytes = array.elementBytes;
  if (llvm::is_contained(array.shape, 0))
    return 0;
  for (int64_t size : array.shape)
    if (llvm::MulOverflow(bytes, size, bytes))
      return std::nullopt;
  return bytes;
}

static Result<NumpyArray> parseArray(const ZipEntry &entry, StringRef file) {
  auto error = [&](const std::string &reason) {
    return Error::badInput(SourceLocation{file.str(), 0, 0}, "'" + entry.name + "' " + reason);
  };
  auto parts = splitHeader(entry.contents);
  if (!parts)
    return error("is no .npy file");
  std::optional<Header> header = HeaderParser(parts->first).parse();
  if (!header)
    return error("has a header that cannot be read");
  NumpyArray array;
  StringRef name = entry.name;
  name.consume_back(".npy");
  array.name = name.str();
  array.shape = header->shape;
  if (!parseDescription(header->description, array))
    return error("has elements of a type that is not supported, '" + header->description.str() + "'");
  std::optional<int64_t> bytes = countBytes(array);
  if (!bytes || static_cast<uint64_t>(*bytes) != parts->second.size())
    return error("has " + std::to_string(parts->second.size()) + " bytes of data, its shape asks for " +
                 (bytes ? std::to_string(*bytes) : "more than 2^63"));
  array.bytes =
      header->isColumnMajor ? toRowMajor(parts->second, array.shape, array.elementBytes) : parts->second.str();
  if (header->description[0] == '>' && array.kind != 'V')
    swapBytes(array.bytes, array.kind == 'c' ? array.elementBytes / 2 : array.elementBytes);
  return array;
}

Result<std::vector<NumpyArray>> readNpz(StringRef bytes, StringRef file, int64_t maxBytes) {
  Result<std::vector<ZipEntry>> entries = readZip(bytes, file, maxBytes);
  if (!entries)
    return entries.error();
  std::vector<NumpyArray> arrays;
  for (const ZipEntry &entry : *entries) {
    Result<NumpyArray> array = parseArray(entry, file);
    if (!array)
      return array.error();
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// Pads the header so that the elements start at a multiple of 64 bytes.
static std::string printArray(const NumpyArray &array) {
  std::string shape = "(";
  for (int64_t size : array.shape)
    shape += std::to_string(size) + ", ";
  std::string header = "{'descr': '" + array.getDescription() + "', 'fortran_order': False, 'shape': " + shape + "), }";
  constexpr size_t prefixBytes = 10, alignment = 64;
  size_t length = llvm::alignTo(prefixBytes + header.size() + 1, alignment) - prefixBytes;
  header.resize(length - 1, ' ');
  header += '\n';
  std::string out = magic.str();
  out += {1, 0, static_cast<char>(length & 0xFF), static_cast<char>(length >> 8)};
  return out + header + array.bytes;
}

Result<std::string> writeNpz(llvm::ArrayRef<NumpyArray> arrays) {
  std::vector<ZipEntry> entries;
  for (const NumpyArray &array : arrays)
    entries.push_back({array.name + ".npy", printArray(array)});
  return writeZip(entries);
}

} // namespace partita
