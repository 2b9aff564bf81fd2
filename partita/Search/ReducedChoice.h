//===- ReducedChoice.h - plans compared with their collectives in steps ---===//
//
// Collectives of a plan may run as programs of steps on levels of the machine
// (Cost/ReductionChoice.h), which are found when the plan is. A plan that is a
// little slower by the formula may gain more by them than the best one: fewer
// and larger collectives over all levels, say. So the best few plans, those of
// experts among them, are priced with their programs.
//
// Most machines have no use for programs (a network card for each device). There
// nothing is priced.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_REDUCEDCHOICE_H
#define PARTITA_SEARCH_REDUCEDCHOICE_H

#include "partita/Search/Rooms.h"
#include "partita/Search/TimelineChoice.h"

namespace partita::search {

/// Whether a program of steps is faster than some collective over all levels of the machine by 1%.
bool mayProgramsPay(const Machine &machine);

/// Of the plan that was chosen and those that came close, the one that is fastest with its programs; the chosen one
/// unless another is faster by 1%, if programs may not be used, or if time is not what the search is for.
TimelineChoice chooseReduced(const PreparedSearch &search, PlanWalker &walker, TimelineChoice chosen,
                             const SearchOutcome &outcome);

} // namespace partita::search

#endif
