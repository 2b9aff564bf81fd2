//===- Bound.h - no plan is faster ----------------------------------------===//
//
// A bound on the time of all plans within the memory limit, with communication.
// What ops may split and the forms that values may have are the labels of a
// problem of pairwise costs (BoundProblem.h); that problem is relaxed until it can
// be solved (PairwiseBound.h). Of plans, nothing is asked but that they are
// assignments: the bound holds for all tactics, pins, single ops' factors and
// groups of uses, whether a search looks at them or not.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUND_H
#define PARTITA_SEARCH_BOUND_BOUND_H

#include "partita/Search/Bound/PairwiseBound.h"
#include "partita/Search/Rooms.h"

#include "partita/Cost/CostModel.h"

namespace partita::search {

struct BoundOptions {
  /// Whether plans have to fit; otherwise memory is left out.
  bool isLimited = true;
  /// The time of a plan that is known, and within the limit if there is one.
  int64_t knownPs = INT64_MAX;
  /// Pairs of forms that may be looked at.
  int64_t work = 6'000'000;
  /// Asked now and then: whoever waits wants what there is.
  std::function<bool()> isOver;
};

/// No plan of the model's program takes less time; 0 if it was over too soon to know. It depends on nothing but what is
/// given here.
int64_t computeLowerBoundPs(const CostModel &model, const BoundOptions &options = {});

} // namespace partita::search

#endif
