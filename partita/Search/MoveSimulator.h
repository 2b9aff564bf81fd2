//===- MoveSimulator.h - timelines of lists of moves ----------------------===//
//
// The search works on a folded program and by a formula. Between plans that are
// nearly as good, the timeline of the whole program decides; this class gives
// its time for lists of moves. Moves are applied to the folded program, and only
// its reshards and durations are unfolded (Simulate/PlanTimeline.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVESIMULATOR_H
#define PARTITA_SEARCH_MOVESIMULATOR_H

#include "partita/Search/PreparedSearch.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

class MoveSimulator {
public:
  /// Keeps references to both.
  MoveSimulator(const PreparedSearch &search, PlanWalker &walker);

  /// The time of one step under the request's given tactics followed by these moves; nullopt if the folded program's
  /// reshards cannot be unfolded.
  std::optional<int64_t> computePs(const Moves &moves);

private:
  const PreparedSearch &search;
  PlanWalker &walker;
  ReshardPlanner planner;
  /// The program's existing collectives, and the price of one execution of each.
  llvm::ArrayRef<ExistingCollective> existing;
  std::vector<CollectivePrice> existingPrices;
};

} // namespace partita::search

#endif
