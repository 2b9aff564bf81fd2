//===- Units.cpp - times, bytes and shares as text ------------------------===//

#include "partita/Report/Units.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/FormatVariadic.h"

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

} // namespace partita::report
