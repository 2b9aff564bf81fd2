//===- Greedy.h - completes a list of moves greedily ----------------------===//
//
// A pass tries many moves and appends the best one to the list. Each successful
// pass is followed by cheaper passes over its own best moves only.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_GREEDY_H
#define PARTITA_SEARCH_GREEDY_H

#include "partita/Search/Rooms.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

/// Less is better.
using Objective = llvm::function_ref<double(const Rating &)>;

struct GreedyOptions {
  /// The moves of a pass: this many that the space proposes for the goal, and as many that do best alone. 0: every
  /// move.
  uint32_t width = 64;
  /// After a pass, this many of the best are tried again until none of them helps.
  uint32_t shortlist = 24;
  uint32_t maxLength = 24;
  /// The least gain, in the objective or as a share of the first part of the rating that improves. Smaller gains are
  /// left to refinement.
  double leastGain = 0.001;
  /// Never appended.
  std::vector<MoveId> excluded;
};

/// Whether the first part in which the ratings differ improves by at least this share.
bool isGain(const Rating &from, const Rating &to, double least);

/// Appends the best move by `objective` repeatedly, as long as it improves. Ties go to the better rating.
Found completeGreedily(StateEvaluator &evaluator, Moves start, Objective objective, GreedyOptions options = {});

/// The same by the rating itself.
Found completeGreedily(StateEvaluator &evaluator, Moves start, GreedyOptions options = {});

/// Completes a partial plan without the moves that it excludes.
Found completeOtherwise(StateEvaluator &evaluator, const PartialPlan &rest, GreedyOptions options = {});

} // namespace partita::search

#endif
