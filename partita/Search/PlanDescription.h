//===- PlanDescription.h - a found plan in words, and beside others -------===//

#ifndef PARTITA_SEARCH_PLANDESCRIPTION_H
#define PARTITA_SEARCH_PLANDESCRIPTION_H

#include "partita/Search/Rooms.h"
#include "partita/Search/TimelineChoice.h"

namespace partita::search {

/// A plan that was evaluated.
struct Strategy {
  /// Of a seed, `BP(data)+MP(model)`; of others, how they differ from the best.
  std::string name;
  /// By the formula.
  int64_t timePs = 0, peakBytes = 0;
  /// By the simulation, if it was asked for.
  std::optional<int64_t> simulatedPs;
};

/// What a plan is.
struct PlanDescription {
  std::vector<Tactic> tactics;
  /// One line for each tactic, for people; all of them in one line.
  std::vector<std::string> words;
  std::string summary;
  /// If it does not fit: names of the largest values at the peak.
  std::vector<std::string> atPeak;
  /// Without any of the tactics.
  Strategy start;
  /// By the formula, on the program that was searched.
  Cost cost;
  /// By the simulation of the whole program, if that chose: of `start`, `seeds` and `others`, none that has such a
  /// time, too, is faster.
  std::optional<int64_t> simulatedPs;
  int64_t limitBytes = 0;
};

/// What a plan is held against. Nothing of it is known if the search was interrupted.
struct PlanComparison {
  /// Seeds in the order of their scores; what came close to the best, the best first.
  std::vector<Strategy> seeds, others;
  /// Whether the tactics are still no slower than `others` if links have 0.7 of their rate; if not, which of those is
  /// the best then, and by what share of the tactics' time.
  bool isRobust = true;
  size_t rival = 0;
  double rivalGain = 0;
};

PlanDescription describePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice);

/// `formulaBest` is the best by the formula, a runner-up if it is not the chosen one.
PlanComparison comparePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice,
                           const PlanDescription &description, const Moves &formulaBest, const SearchOutcome &outcome);

} // namespace partita::search

#endif
