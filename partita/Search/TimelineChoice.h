//===- TimelineChoice.h - the simulation chooses among the best plans -----===//
//
// A search minimizes a formula. Between plans that are equally good by it, the
// simulation of the whole program decides. Candidates are the found plan, and
// seeds, the plan without splits and three runners-up if they are at most 0.05%
// slower by the formula and no slower than any seed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TIMELINECHOICE_H
#define PARTITA_SEARCH_TIMELINECHOICE_H

#include "partita/Search/PreparedSearch.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Search.h"

#include <unordered_map>

namespace partita::search {

/// Simulated times of states: of all candidates, or of none.
struct SimulatedTimes {
  std::unordered_map<uint64_t, int64_t> ofStates;

  std::optional<int64_t> find(uint64_t state) const {
    auto known = ofStates.find(state);
    return known == ofStates.end() ? std::nullopt : std::optional(known->second);
  }
};

struct TimelineChoice {
  Moves moves;
  SimulatedTimes times;
};

/// The fastest candidate by the simulation; ties are decided by the formula. It is `best` itself if there is no
/// simulation, time is not the first goal after `fit`, nothing comes close or the search was interrupted.
TimelineChoice chooseByTimeline(const PreparedSearch &search, PlanWalker &walker, const Moves &best,
                                const SearchOutcome &outcome);

} // namespace partita::search

#endif
