//===- TimelineChoice.h - the simulation chooses among the best plans -----===//
//
// A search minimizes a formula. Between plans that are nearly as good, the
// simulation of the whole program decides: the found plan, seeds and the plan
// that splits nothing if they are no more than 10% slower by the formula, and
// three runners-up if they are no more than 5%.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_TIMELINECHOICE_H
#define PARTITA_SEARCH_TIMELINECHOICE_H

#include "partita/Search/PreparedSearch.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Search.h"

#include <unordered_map>

namespace partita::search {

/// Times of states by the simulation; of none, or of all plans that it chose among.
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

/// The fastest by the simulation, of equals the formula's. It is `best` itself if there is no simulation, time is not
/// the first goal behind `fit`, nothing comes close, the search was interrupted or the program is too large.
TimelineChoice chooseByTimeline(const PreparedSearch &search, PlanWalker &walker, const Moves &best,
                                const SearchOutcome &outcome);

} // namespace partita::search

#endif
