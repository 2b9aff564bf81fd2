//===- PlanRequest.h - what a search is asked for -------------------------===//

#ifndef PARTITA_SEARCH_PLANREQUEST_H
#define PARTITA_SEARCH_PLANREQUEST_H

#include "partita/Analysis/Analysis.h"
#include "partita/Cost/CostOptions.h"
#include "partita/Machine/Placement.h"
#include "partita/Propagate/Schedule.h"
#include "partita/Search/Goal.h"
#include "partita/Search/Oracle.h"
#include "partita/Search/SearchOptions.h"

namespace partita {

/// A state that was evaluated, for those who watch the search.
struct LookedAt {
  /// Which one, counted from 1, and of how many at most.
  int64_t number = 0, budget = 0;
  /// Its moves in words, if it is better than all before it or all are watched.
  std::vector<std::string> words;
  Rating rating;
  /// Better than all before it.
  bool isBest = false;
};

/// Simulates one step of the whole program under the given tactics followed by these, and returns its time in
/// picoseconds; nothing if the tactics do not apply. The same tactics always give the same time. One thread calls,
/// after the search and before the search's result is returned.
using SimulateTactics = std::function<std::optional<int64_t>(llvm::ArrayRef<Tactic>)>;

struct PlanRequest {
  /// Of the whole program.
  const Analysis &analysis;
  const Axes &axes;
  const Machine &machine;
  const Placement &placement;
  CostOptions cost;
  SearchOptions search;
  /// Applied before; without automatic tactics.
  Schedule given;
  /// Axes, or parts of axes, that may be used; empty: all.
  std::vector<std::string> searchedAxes;
  std::vector<Goal> goals;
  /// Deadline and interruption.
  OracleOptions clocks;
  /// Called in order with every state, if it is there.
  std::function<void(const LookedAt &)> onState;
  /// Whether states that are not the best so far are wanted with their words.
  bool watchesAll = false;
  /// If it is there and time is what is searched for, the simulation chooses among the best plans and seeds.
  SimulateTactics schedulePs = nullptr;
};

} // namespace partita

#endif
