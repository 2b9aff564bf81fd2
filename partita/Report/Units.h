//===- Units.h - times, bytes and shares as text --------------------------===//

#ifndef PARTITA_REPORT_UNITS_H
#define PARTITA_REPORT_UNITS_H

#include "partita/Report/Rooms.h"

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace partita::report {

/// `1.234 ms`, `12.3 us`; four digits at most.
std::string printTime(int64_t timePs);

/// `41.2 GB`, in powers of ten; exact below a kilobyte.
std::string printBytes(int64_t bytes);

/// A difference, printed by one of these: `+1.2 ms`; `0` if there is none.
std::string printChange(int64_t value, std::string (*print)(int64_t));

/// `12.3%`.
std::string printShare(int64_t part, int64_t whole);

/// At most `width` characters of a text: its end, which says most of a name, behind `...`.
std::string shorten(llvm::StringRef text, size_t width);

/// A path of at most `width` characters: whole parts of its start, which says whose it is, and of its end, which says
/// what it is: `state.params...['query']['kernel']`.
std::string shortenName(llvm::StringRef name, size_t width);

/// `models/mlp.py:42` of `/home/me/models/mlp.py:42`: enough to find a line, and short enough for a sentence.
std::string shortenLocation(llvm::StringRef location);

} // namespace partita::report

#endif
