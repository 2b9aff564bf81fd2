//===- IssueWindow.h - how far transfers that overlap reach ---------------===//
//
// Depends on the program alone. A gather of a parameter is issued before the op
// that uses it, and a late reduction is done behind the op that makes its
// operand (Overlap.h). Between the two run at most `size` ops that stand alone
// (FusionRole::Alone): contractions, scatter, sort and the like. So
//
//   issue   the size-th such op before an op, or the first op of its region
//   done    the size-th such op behind it, or the last op of its region
//
// Ops of other regions do not count, but a loop or a set of branches that stands
// between does, as one op.
//
//   size 1:  dot.0  add  dot.1  add  dot.2      issue of dot.2 is dot.1, done of dot.0 is dot.1
//
// The size is the machine's (Device::issueWindow).
//
// Constants that a loop starts from, zeros to sum up gradients in, say, wait for
// nothing. XLA writes all those of one type, shape and phase in one kernel, behind
// the loop that stands before the first loop that takes one, or at the beginning
// of the region: that is the issue of the loops' entries.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_ISSUEWINDOW_H
#define PARTITA_COST_ISSUEWINDOW_H

#include "partita/Analysis/LiveTimes.h"
#include "partita/Cost/FusionPlan.h"
#include "partita/Cost/Overlap.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// The window of each op of `graph`; `isAlone` is indexed by its ops.
std::vector<OpWindow> computeWindows(const Graph &graph, const IdVector<OpId, uint8_t> &isAlone, uint32_t size);

/// How many ops that stand alone transfers and products (LateProducts.h) may be ahead or behind.
struct WindowSizes {
  uint32_t issue = 0, late = 0;
};

/// `plain` with the windows of its whole program. `fusion` and `overlap` belong to the program of `plain`, folded or
/// not.
LiveTimes addWindows(const LiveTimes &plain, const FusionPlan &fusion, const Overlap &overlap, WindowSizes sizes);

} // namespace partita::cost

#endif
