//===- PaddedBorder.h - what padding costs at the border of a step --------===//
//
// State that is not stored padded has the program's sizes between steps. So each
// step pads it first and cuts it back at the end, and there no axis splits the
// dim: devices gather it. This holds for annotated.mlir, too: arrays of JAX have
// pieces of one size.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_PADDEDBORDER_H
#define PARTITA_REPORT_PADDEDBORDER_H

#include "partita/Cost/Price.h"
#include "partita/Report/Rooms.h"

namespace partita::report {

struct PaddedBorder {
  /// Arguments that are padded and results that are cut, in each step.
  int64_t numPadded = 0, numCut = 0;
  /// The time of that, with the reshards before and behind it that nothing hides; none without a machine.
  std::optional<int64_t> timePs;
};

/// `price` is that of the plan, or null.
PaddedBorder findPaddedBorder(const Plan &plan, const Price *price);

/// A line for the overview; empty if nothing is padded at the border.
std::string describeBorder(const PaddedBorder &border);

} // namespace partita::report

#endif
