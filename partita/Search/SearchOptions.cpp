//===- SearchOptions.cpp - options of the search --------------------------===//

#include "partita/Search/SearchOptions.h"

#include <cmath>

namespace partita::search {

Result<int64_t> parseDeadline(llvm::StringRef text) {
  if (text.empty())
    return 0;
  llvm::StringRef number = text;
  bool isMs = number.consume_back("ms");
  if (!isMs)
    number.consume_back("s");
  double value = 0;
  double ms = number.trim().getAsDouble(value) ? 0 : isMs ? value : value * 1000;
  if (std::isnan(ms) || ms < 1 || ms > 1e12)
    return Error::usage("--deadline '" + text.str() + "' is not a time").withRemedy("write 2s or 500ms");
  return static_cast<int64_t>(ms);
}

} // namespace partita::search
