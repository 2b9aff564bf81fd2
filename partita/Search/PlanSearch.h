//===- PlanSearch.h - from a program and a machine to tactics -------------===//
//
// The search as others call it: finds what repeats in the program and folds it,
// builds groups and moves, searches, and gives the moves that were found as
// tactics with patterns over names, which do on the whole program what the moves
// did on the folded one.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANSEARCH_H
#define PARTITA_SEARCH_PLANSEARCH_H

#include "partita/Search/Search.h"

namespace partita {

/// A state that was looked at, for those who want to watch.
struct LookedAt {
  /// Which one, counted from 1, and of how many at most.
  int64_t number = 0, budget = 0;
  /// Its moves in words, if it is better than all before it or all are watched.
  std::vector<std::string> words;
  Rating rating;
  /// Better than all before it.
  bool isBest = false;
};

struct PlanRequest {
  const Graph &graph;
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
  /// The time of tactics behind the given ones by the timeline of the whole program, nothing if they do not apply. If
  /// it is there and time is what is searched for, it chooses among the best plans and what experts would write.
  std::function<std::optional<int64_t>(llvm::ArrayRef<Tactic>)> schedulePs = nullptr;
};

/// A strategy that was looked at.
struct Strategy {
  /// Of a seed, `BP(data)+MP(model)`; of others, how they differ from the best.
  std::string name;
  /// By the formula.
  int64_t timePs = 0, peakBytes = 0;
  /// By the timeline, if it was asked for.
  std::optional<int64_t> scheduledPs;
};

struct FoundTactics {
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
  /// By the timeline of the whole program, if that chose: of `start`, `seeds` and `others`, none that has such a time,
  /// too, is faster.
  std::optional<int64_t> scheduledPs;
  int64_t limitBytes = 0;
  /// No plan is faster; 0 if nothing is known.
  int64_t lowerBoundPs = 0;
  /// What experts would write, in the order of their scores; what came close to the best, the best first. Neither these
  /// nor the bound are known if the search was interrupted.
  std::vector<Strategy> seeds, others;
  /// Whether the tactics are still no slower than `others` if links have 0.7 of their rate; if not, which of those is
  /// the best then, and by what share of the tactics' time.
  bool isRobust = true;
  size_t rival = 0;
  double rivalGain = 0;
  int64_t budget = 0, numEvaluations = 0;
  /// From the first state to the last, by the clock.
  double searchSeconds = 0;
  StopReason stopReason = StopReason::Finished;
  bool isComplete = true;
  size_t numOps = 0, numSearchedOps = 0, numGroups = 0, numMoves = 0;
};

/// An error of the given tactics is an error; a search never fails, but if nothing was looked at before it was
/// interrupted, that is one (Interrupted).
Result<FoundTactics> findTactics(const PlanRequest &request);

/// What the folded program says of lists of moves drawn at random, and what the whole one says of their tactics.
struct FoldingCheck {
  size_t numOps = 0, numSearchedOps = 0;
  int64_t numLists = 0, numDifferent = 0;
  /// Of the first list that differs.
  std::string words;
  Cost folded, whole;
};

Result<FoldingCheck> checkFolding(const PlanRequest &request, int64_t numLists);

} // namespace partita

#endif
