//===- Figure.h - a number and where it comes from ------------------------===//

#ifndef PARTITA_MACHINE_FIGURE_H
#define PARTITA_MACHINE_FIGURE_H

#include "partita/Machine/Rooms.h"

#include <cstdint>
#include <string>

namespace partita::machine {

/// One whole, in millionths.
inline constexpr int64_t wholePpm = 1'000'000;

/// A number and the tag of its source; Machine::sources explains the tags.
struct Figure {
  int64_t value = 0;
  std::string source;
  /// How sure it is: the standard deviation as a share of the value, in millionths; 0: nobody says.
  int64_t widthPpm = 0;
  bool operator==(const Figure &) const = default;
};

} // namespace partita::machine

#endif
