//===- Zip.cpp - reads and writes ZIP archives, the container of .npz -----===//

#include "partita/Support/Zip.h"

#include "partita/Support/Limits.h"

#include "llvm/Support/Endian.h"

#include <zlib.h>

using namespace llvm::support;
using llvm::StringRef;

namespace partita {

// Signatures and sizes of the three records, without the parts of variable length.
static constexpr uint32_t localSignature = 0x04034B50, centralSignature = 0x02014B50, endSignature = 0x06054B50;
static constexpr size_t localBytes = 30, centralBytes = 46, endBytes = 22;
static constexpr size_t maxCommentBytes = 0xFFFF;
static constexpr uint16_t stored = 0, deflated = 8;
/// Deflate shrinks data at most by this factor.
static constexpr uint64_t maxRatio = 1032;
/// 1 January 1980, the earliest date of the format.
static constexpr uint16_t firstDay = 0x21;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

/// An entry of the central directory.
struct DirectoryEntry {
  std::string name;
  uint16_t flags;
  uint16_t method;
  uint32_t checksum;
  uint64_t packedBytes;
  uint64_t bytes;
  uint64_t offset;
};

class ZipReader {
public:
  ZipReader(StringRef bytes, StringRef file, int64_t maxBytes) : bytes(bytes), file(file), maxBytes(maxBytes) {}

  Result<std::vector<ZipEntry>> read();

private:
  Error error(const std::string &reason) const {
    return Error::badInput(SourceLocation{file.str(), 0, 0}, reason).withRemedy("write it with numpy.savez");
  }
  uint16_t get16(size_t at) const { return endian::read16le(bytes.data() + at); }
  uint32_t get32(size_t at) const { return endian::read32le(bytes.data() + at); }
  uint64_t get64(size_t at) const { return endian::read64le(bytes.data() + at); }
  bool has(uint64_t at, uint64_t count) const { return at <= bytes.size() && count <= bytes.size() - at; }

  std::optional<size_t> findEnd() const;
  Result<DirectoryEntry> readDirectoryEntry(size_t &at) const;
  void readLargeSizes(DirectoryEntry &entry, size_t at, size_t end) const;
  Result<std::string> unpack(const DirectoryEntry &entry) const;
  Result<std::string> inflate(StringRef packed, const DirectoryEntry &entry) const;

  StringRef bytes;
  StringRef file;
  int64_t maxBytes;
};

} // namespace

/// The end record is the last thing in the file, except for a comment.
std::optional<size_t> ZipReader::findEnd() const {
  if (bytes.size() < endBytes)
    return std::nullopt;
  size_t last = bytes.size() - endBytes;
  size_t first = last > maxCommentBytes ? last - maxCommentBytes : 0;
  for (size_t at = last + 1; at-- > first;)
    if (get32(at) == endSignature)
      return at;
  return std::nullopt;
}

/// A size field whose bits are all ones has its value in an extra field, which holds only such fields, in this order.
void ZipReader::readLargeSizes(DirectoryEntry &entry, size_t at, size_t end) const {
  while (at + 4 <= end) {
    uint16_t id = get16(at), size = get16(at + 2);
    at += 4;
    if (size > end - at)
      return;
    size_t fieldEnd = at + size;
    if (id == 1) {
      for (uint64_t *value : {&entry.bytes, &entry.packedBytes, &entry.offset})
        if (*value == UINT32_MAX && at + 8 <= fieldEnd) {
          *value = get64(at);
          at += 8;
        }
      return;
    }
    at = fieldEnd;
  }
}

/// Reads the entry at `at` and advances `at` to the next.
Result<DirectoryEntry> ZipReader::readDirectoryEntry(size_t &at) const {
  if (!has(at, centralBytes) || get32(at) != centralSignature)
    return error("the archive's directory is damaged");
  DirectoryEntry entry;
  entry.flags = get16(at + 8);
  entry.method = get16(at + 10);
  entry.checksum = get32(at + 16);
  entry.packedBytes = get32(at + 20);
  entry.bytes = get32(at + 24);
  entry.offset = get32(at + 42);
  size_t nameBytes = get16(at + 28), extraBytes = get16(at + 30), commentBytes = get16(at + 32);
  if (!has(at + centralBytes, nameBytes + extraBytes + commentBytes))
    return error("the archive's directory is cut off");
  size_t name = at + centralBytes, extra = name + nameBytes;
  entry.name = bytes.substr(name, nameBytes).str();
  readLargeSizes(entry, extra, extra + extraBytes);
  at = extra + extraBytes + commentBytes;
  return entry;
}

Result<std::string> ZipReader::inflate(StringRef packed, const DirectoryEntry &entry) const {
  // Do not allocate memory for a size that cannot be true.
  if (entry.bytes / maxRatio > packed.size())
    return error("'" + entry.name + "' cannot unpack to " + std::to_string(entry.bytes) + " bytes");
  std::string contents(entry.bytes, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return Error::internal("zlib does not start");
  size_t taken = 0, given = 0;
  int state = Z_OK;
  // zlib counts in 32 bits, so large entries take several rounds.
  while (state == Z_OK) {
    constexpr size_t round = size_t(1) << 30;
    size_t in = std::min(round, packed.size() - taken), out = std::min(round, contents.size() - given);
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data() + taken));
    stream.avail_in = in;
    stream.next_out = reinterpret_cast<Bytef *>(contents.data() + given);
    stream.avail_out = out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    taken += in - stream.avail_in;
    given += out - stream.avail_out;
    if (state == Z_OK && in == stream.avail_in && out == stream.avail_out)
      break;
  }
  inflateEnd(&stream);
  if (state != Z_STREAM_END || given != contents.size())
    return error("'" + entry.name + "' cannot be unpacked");
  return contents;
}

static uint32_t computeChecksum(StringRef contents) {
  return crc32_z(0, reinterpret_cast<const Bytef *>(contents.data()), contents.size());
}

Result<std::string> ZipReader::unpack(const DirectoryEntry &entry) const {
  if (entry.flags & 1)
    return error("'" + entry.name + "' is encrypted");
  if (entry.method != stored && entry.method != deflated)
    return error("'" + entry.name + "' is compressed by a method that is not supported, " +
                 std::to_string(entry.method));
  if (!has(entry.offset, localBytes) || get32(entry.offset) != localSignature)
    return error("'" + entry.name + "' is not where the directory says");
  uint64_t start = entry.offset + localBytes + get16(entry.offset + 26) + get16(entry.offset + 28);
  if (!has(start, entry.packedBytes))
    return error("'" + entry.name + "' is cut off");
  StringRef packed = bytes.substr(start, entry.packedBytes);
  if (entry.method == stored && entry.bytes != entry.packedBytes)
    return error("'" + entry.name + "' is stored with two different sizes");
  Result<std::string> contents = entry.method == stored ? packed.str() : inflate(packed, entry);
  if (contents && computeChecksum(*contents) != entry.checksum)
    return error("'" + entry.name + "' has a wrong checksum");
  return contents;
}

Result<std::vector<ZipEntry>> ZipReader::read() {
  std::optional<size_t> end = findEnd();
  if (!end)
    return error("this is no .npz file");
  size_t count = get16(*end + 10), at = get32(*end + 16);
  std::vector<ZipEntry> entries;
  int64_t left = maxBytes;
  for (size_t index = 0; index < count; ++index) {
    Result<DirectoryEntry> entry = readDirectoryEntry(at);
    if (!entry)
      return entry.error();
    if (entry->bytes > static_cast<uint64_t>(left))
      return beyondLimit(SourceLocation{file.str(), 0, 0}, "the archive unpacks to too many bytes", "max-file-bytes",
                         maxBytes);
    left -= entry->bytes;
    Result<std::string> contents = unpack(*entry);
    if (!contents)
      return contents.error();
    entries.push_back({std::move(entry->name), std::move(*contents)});
  }
  return entries;
}

Result<std::vector<ZipEntry>> readZip(StringRef bytes, StringRef file, int64_t maxBytes) {
  return ZipReader(bytes, file, maxBytes).read();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static void put16(std::string &out, uint16_t value) {
  char bytes[2];
  endian::write16le(bytes, value);
  out.append(bytes, 2);
}

static void put32(std::string &out, uint32_t value) {
  char bytes[4];
  endian::write32le(bytes, value);
  out.append(bytes, 4);
}

/// The fields that the local and the central record share.
static void putCommonFields(std::string &out, const ZipEntry &entry) {
  put16(out, 20); // version of the format, 2.0
  put16(out, 0);  // flags
  put16(out, stored);
  put16(out, 0); // time
  put16(out, firstDay);
  put32(out, computeChecksum(entry.contents));
  put32(out, entry.contents.size());
  put32(out, entry.contents.size());
  put16(out, entry.name.size());
  put16(out, 0); // bytes of extra fields
}

static void putDirectoryEntry(std::string &out, const ZipEntry &entry, uint32_t offset) {
  put32(out, centralSignature);
  put16(out, 20);
  putCommonFields(out, entry);
  out.append(10, '\0'); // comment, disk, attributes
  put32(out, offset);
  out += entry.name;
}

Result<std::string> writeZip(const std::vector<ZipEntry> &entries) {
  uint64_t total = endBytes;
  for (const ZipEntry &entry : entries)
    total += localBytes + centralBytes + 2 * entry.name.size() + entry.contents.size();
  if (total > UINT32_MAX || entries.size() > UINT16_MAX)
    return Error::unsupported({}, "the results take more than an .npz file of 4 GiB");
  std::string out, directory;
  out.reserve(total);
  for (const ZipEntry &entry : entries) {
    putDirectoryEntry(directory, entry, out.size());
    put32(out, localSignature);
    putCommonFields(out, entry);
    out += entry.name;
    out += entry.contents;
  }
  uint32_t directoryOffset = out.size();
  out += directory;
  put32(out, endSignature);
  put32(out, 0); // disks
  put16(out, entries.size());
  put16(out, entries.size());
  put32(out, directory.size());
  put32(out, directoryOffset);
  put16(out, 0); // bytes of the comment
  return out;
}

} // namespace partita
