//===- Units.cpp - times, bytes and shares as text ------------------------===//

#include "partita/Report/Units.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <utility>
#include <vector>

namespace partita::report {

/// Prints `value` in the largest unit of which there is at least one; each unit is 1000 times the one before.
static std::string printScaled(int64_t value, llvm::ArrayRef<const char *> units) {
  double scaled = static_cast<double>(value);
  size_t unit = 0;
  while (scaled >= 999.95 && unit + 1 < units.size()) {
    scaled /= 1000;
    ++unit;
  }
  if (unit == 0)
    return llvm::formatv("{0} {1}", value, units[0]).str();
  const char *format = scaled < 10 ? "%.2f %s" : "%.1f %s";
  char text[64];
  snprintf(text, sizeof(text), format, scaled, units[unit]);
  return text;
}

std::string printTime(int64_t timePs) {
  return timePs == 0 ? "0 s" : printScaled(timePs, {"ps", "ns", "us", "ms", "s"});
}

std::string printBytes(int64_t bytes) { return printScaled(bytes, {"B", "kB", "MB", "GB", "TB", "PB"}); }

std::string printChange(int64_t value, std::string (*print)(int64_t)) {
  return value == 0 ? "0" : (value < 0 ? "-" : "+") + print(std::abs(value));
}

std::string printShare(int64_t part, int64_t whole) {
  double share = whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0;
  return llvm::formatv("{0:F1}%", share).str();
}

std::string shorten(llvm::StringRef text, size_t width) {
  return text.size() <= width ? text.str() : "..." + text.take_back(width - 3).str();
}

/// `state`, `.params`, `['w']` of `state.params['w']`; what is in brackets stays together.
static std::vector<llvm::StringRef> splitParts(llvm::StringRef name) {
  std::vector<llvm::StringRef> parts;
  size_t start = 0, depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    bool isStart = depth == 0 && llvm::StringRef("[./").contains(name[i]);
    depth += name[i] == '[' ? 1 : 0;
    depth -= name[i] == ']' && depth > 0 ? 1 : 0;
    if (isStart && i > start)
      parts.push_back(name.slice(std::exchange(start, i), i));
  }
  parts.push_back(name.substr(start));
  return parts;
}

/// `/block_0/conv_1']` of `['net/block_0/conv_1']`: the end of at most that many letters that begins with a slash.
static llvm::StringRef takePathEnd(llvm::StringRef part, size_t most) {
  size_t slash = part.find('/', part.size() > most ? part.size() - most : 0);
  return slash == llvm::StringRef::npos ? llvm::StringRef() : part.substr(slash);
}

std::string shortenName(llvm::StringRef name, size_t width) {
  if (name.size() <= width)
    return name.str();
  std::vector<llvm::StringRef> parts = splitParts(name);
  size_t head = 0, tail = 0;
  // The last part matters most.
  size_t last = std::min(width, parts.back().size() + 3), most = std::min((width + 2) / 3, width - last);
  for (size_t i = 0; i < parts.size() && head + parts[i].size() <= most; ++i)
    head += parts[i].size();
  size_t first = parts.size();
  for (; first > 0 && head + 3 + tail + parts[first - 1].size() <= width; --first)
    tail += parts[first - 1].size();
  // Of a key that is a path itself, as haiku's are, the end tells layers apart.
  if (first > 0 && tail > 0)
    tail += takePathEnd(parts[first - 1], width - head - 3 - tail).size();
  return tail == 0 ? shorten(name, width) : (name.take_front(head) + "..." + name.take_back(tail)).str();
}

std::string shortenLocation(llvm::StringRef location) {
  size_t file = location.rfind('/');
  size_t folder = file == llvm::StringRef::npos ? file : location.take_front(file).rfind('/');
  return location.substr(folder == llvm::StringRef::npos ? 0 : folder + 1).str();
}

} // namespace partita::report
