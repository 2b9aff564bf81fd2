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
// Two plans of one program on one machine share most of that error: the same
// kernels run over the same links. How much is their own was measured: of plans
// of one batch that differ by less than 0.4 widths, the order is often wrong; of
// those further apart it is nearly always right (docs/accuracy.md, pairs of plans).
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

/// Whether another plan of the program is so close that nobody can say which of the two is faster.
bool isTooClose(const ScorePrices &prices, int64_t timePs);

} // namespace partita::report

#endif
