//===- Search.h - the stages of a search ----------------------------------===//
//
// Two searches run side by side, in lanes that take turns (EvaluationPool.h): one
// starts from nothing, the other from seeds, and takes over the best lists of the
// first. The first does not know of the second. So with seeds and twice the budget
// nothing worse is found than without, wherever the seeds lead.
//
// A lane runs rounds, each of twice the size of the one before. The first round of
// both is the budget that a program gets by default, whatever budget was asked
// for: a search with a larger budget begins with all states of a smaller one. A
// round runs stages, one after the other. A stage is a list of steps, each of
// which may spend a share of what is left of the round when it begins:
//
//   stage        share  steps
//   start        all    the empty list
//   seeds        all    plans of other programs (SearchStarts) and strategies of
//                       experts; only in their lane                     Seeds.h
//   alone        all    every move alone, with at most a third of the round
//   decode       0.2    what the relaxed problem of the bound decides, as moves;
//                       in the lane of seeds, in the first round     Decoding.h
//   greedy       0.2    for each weight of the bytes missing to fit, from "time
//                       only" to "fit above all": greedy completions of the
//                       empty list and of early moves, or of seeds     Greedy.h
//   refine       0.5    for each of three different starts: sweeps in parts, then
//                       quick sweeps; a step that is cut short is continued by the
//                       next one                                     Refinement.h
//   partial      0.3    completions of the best list without one axis    Greedy.h
//   tree         0.3    tree search from the root and the best lists TreeSearch.h
//   second       0.3    for each of three different lists, first those that
//                       refine found: quick sweeps                   Refinement.h
//   final        all    turns of thorough sweeps, repairs and sweeps in parts of a
//                       good list and of tree search with half of what is left,
//                       until three turns find nothing better        Refinement.h
//
// A stage reads what earlier ones left but also works without it: any stage can
// be left out (--stages). A stage begins only if budget, deadline and user allow
// it. A lane ends with a round that evaluates nothing new.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEARCH_H
#define PARTITA_SEARCH_SEARCH_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/PlanSpace.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Search/Seeds.h"

namespace partita::search {

struct SearchOutcome {
  /// Absent if the search ended before it evaluated anything.
  std::optional<Found> best;
  /// Other states, the best first.
  std::vector<Found> others;
  std::vector<Seed> seeds;
  /// Of all lists, by their hash, in ascending order.
  std::vector<std::pair<uint64_t, Evaluated>> answers;
  /// The stage that evaluated the best list first; empty for other methods than the stages.
  std::string winnerStage;
  /// What the stage `decode` has begun, to be continued; null if it did not run.
  std::unique_ptr<BoundAscent> bound;
  /// As requested, or chosen by chooseBudget.
  int64_t budget = 0;
  int64_t numEvaluations = 0;
  StopReason stopReason = StopReason::Finished;

  /// Whether the search finished or spent its budget; false if a deadline or a signal ended it.
  bool isComplete() const { return stopReason == StopReason::Finished || stopReason == StopReason::Budget; }
};

/// Whether a comma-separated list names stages only; an empty one names all.
Status checkStages(llvm::StringRef text);

/// What a search begins with.
struct SearchStarts {
  /// Lists that were good for a similar program.
  std::vector<Moves> carried;

  /// With such lists, the lane without seeds is left out, and the budget is one round.
  bool isFollowUp() const { return !carried.empty(); }
};

/// Runs the stages, or the baseline that the options name instead. `evaluatorOptions` holds the deadline, the
/// interruption and the callback for each state; budget and threads come from `options`.
SearchOutcome runSearch(const PlanSpace &space, const SearchOptions &options, StateEvaluatorOptions evaluatorOptions,
                        const SearchStarts &starts = {});

} // namespace partita::search

#endif
