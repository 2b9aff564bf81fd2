//===- Search.h - from a space of partitionings to the best found ---------===//
//
// One after the other, each as far as the budget reaches:
//
//   1. the empty list, and every move alone            TreeSearch.h
//   2. what experts would write                        Seeds.h
//   3. greedy completions under several weights of what is missing to fit:
//      from "time alone" to "fit above all"            Greedy.h
//   4. tree search                                     TreeSearch.h
//   5. refinement of the best lists that differ        Refinement.h
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCH_H
#define PARTITA_SEARCH_SEARCH_H

#include "partita/Search/PlanSpace.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/Seeds.h"

namespace partita {

struct SearchOutcome {
  /// Absent if the search ended before it had looked at anything.
  std::optional<Found> best;
  /// Other states, the best first.
  std::vector<Found> others;
  std::vector<Seed> seeds;
  /// What was asked for, or chosen.
  int64_t budget = 0;
  int64_t numEvaluations = 0;
  StopReason stopReason = StopReason::Finished;

  /// Whether the search came to its own end, or to that of its budget; not so if a clock or a signal ended it.
  bool isComplete() const { return stopReason == StopReason::Finished || stopReason == StopReason::Budget; }
};

/// The states that a search may look at: what the options say, or as many as the moves need.
int64_t chooseBudget(const SearchOptions &options, const Space &space);
/// What was asked for, or one for each processor.
int64_t chooseThreads(const SearchOptions &options);

/// `clocks` are the deadline, the interruption and what is called for each state; budget and threads are the options'.
SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, OracleOptions clocks);

} // namespace partita

#endif
