//===- PlanDescription.h - a found plan in words and in comparison --------===//
//
// After a search: the found list of moves as tactics and words, its cost, and a
// comparison with seeds and runners-up, also on slower links.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANDESCRIPTION_H
#define PARTITA_SEARCH_PLANDESCRIPTION_H

#include "partita/Search/Rooms.h"
#include "partita/Search/TimelineChoice.h"

namespace partita::search {

/// A plan that was evaluated, as one line of a comparison.
struct Strategy {
  /// For a seed, `BP(data)+MP(model)`; for others, how they differ from the best.
  std::string name;
  /// By the formula.
  int64_t timePs = 0, peakBytes = 0;
  /// By the simulation, if that was run.
  std::optional<int64_t> simulatedPs;
};

/// A found plan: its tactics, its cost and the cost without it.
struct PlanDescription {
  std::vector<Tactic> tactics;
  /// For people: the moves in a few lines (Telling.h); one line for the whole plan.
  std::vector<std::string> words;
  std::string summary;
  /// For each axis of the mesh a name of what it carries (AxisNames.h).
  std::vector<std::string> axisNames;
  /// If it does not fit: names of the largest values at the peak.
  std::vector<std::string> atPeak;
  /// The program without the found tactics.
  Strategy start;
  /// By the formula, on the program that was searched.
  Cost cost;
  /// By the simulation of the whole program, if that chose the plan. No simulated one of `start`, `seeds` and `others`
  /// is faster.
  std::optional<int64_t> simulatedPs;
  int64_t limitBytes = 0;
};

/// What a plan is compared with. Empty if the search was interrupted.
struct PlanComparison {
  /// Seeds, the best first; other plans that came close to the best, the best first.
  std::vector<Strategy> seeds, others;
  /// Whether the plan is still no slower than `others` if links have 0.7 of their rate. If not: the best of `others`
  /// then, and its gain as a share of the plan's time.
  bool isRobust = true;
  size_t rival = 0;
  double rivalGain = 0;
};

/// What a probe says of its best plan: its cost, and what the axes carry.
PlanDescription describeProbe(const PreparedSearch &search, PlanWalker &walker, const Moves &best);

PlanDescription describePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice);

/// `formulaBest` is the best plan by the formula; it is a runner-up if the timeline chose another one.
PlanComparison comparePlan(const PreparedSearch &search, PlanWalker &walker, const TimelineChoice &choice,
                           const PlanDescription &description, const Moves &formulaBest, const SearchOutcome &outcome);

} // namespace partita::search

#endif
