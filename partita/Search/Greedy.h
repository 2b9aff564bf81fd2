//===- Greedy.h - completes a list of moves, best first -------------------===//
//
// A pass appends the best of many moves to the list. While passes help, each is
// followed by passes over its own best moves alone, which cost less.
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
  /// Moves of a pass: so many that the space proposes for the goal, and as many again that do best alone. 0: every
  /// move.
  uint32_t width = 64;
  /// After a pass, so many of the best are tried again until none of them helps.
  uint32_t shortlist = 24;
  uint32_t maxLength = 24;
  /// Smaller gains are left to refinement: in the objective, or as a share of the first part of the rating that gets
  /// better.
  double leastGain = 0.001;
  /// Excluded: never appended.
  std::vector<MoveId> excluded;
};

/// Whether the first part in which ratings differ gets better, by this share of it at least.
bool isGain(const Rating &from, const Rating &to, double least);

/// Appends the move that is best by `objective`, again and again, while it gets better. Ties go to the better rating.
Found completeGreedily(StateEvaluator &evaluator, Moves start, Objective objective, GreedyOptions options = {});

/// The same by the rating itself.
Found completeGreedily(StateEvaluator &evaluator, Moves start, GreedyOptions options = {});

/// Completes a partial plan without the moves that it excludes.
Found completeOtherwise(StateEvaluator &evaluator, const PartialPlan &rest, GreedyOptions options = {});

} // namespace partita::search

#endif
