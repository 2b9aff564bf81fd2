//===- TimeBand.h - how far a step may be from its predicted time ---------===//
//
// A machine says how sure its figures are (Figure.h), and how far measured steps
// were from predicted ones; presets by docs/accuracy.md, calibrated machines by
// their own rows. These errors are taken to be independent, so their squares add
// up:
//
//   width^2 = s^2 + (c w)^2 + (sum over levels of x v)^2
//
//   s   Machine::stepWidthPpm
//   c   the share of the step in which the device computes
//   w   the larger of the widths of products and of the memory's rate
//   x   what a level is busy, as a share of the time in which the device waits
//   v   the width of the level's rate
//
// Two steps out of three are within one width.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REPORT_TIMEBAND_H
#define PARTITA_REPORT_TIMEBAND_H

#include "partita/Machine/Machine.h"
#include "partita/Report/Score.h"

namespace partita::report {

/// The standard deviation of a step's time, in millionths of it; 0 if the machine does not say how far steps are off.
int64_t computeTimeWidthPpm(const ScorePrices &prices, const Machine &machine);

/// ` ± 9%`; empty if the width is not known. Rounded up, so that no band looks narrower than it is.
std::string printWidth(int64_t widthPpm);

/// Whether another plan's time is within the band of this one: which of the two is faster is not known.
bool isWithinBand(const ScorePrices &prices, int64_t timePs);

} // namespace partita::report

#endif
