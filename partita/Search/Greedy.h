//===- Greedy.h - completes a list of moves, best first -------------------===//
//
// A pass appends the best of many moves to the list. While passes help, each is
// followed by passes over its own best moves alone, which cost less.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_GREEDY_H
#define PARTITA_SEARCH_GREEDY_H

#include "partita/Search/Oracle.h"

namespace partita {

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
  std::vector<MoveId> barred;
};

/// Whether the first part in which ratings differ gets better, by this share of it at least.
bool isGain(const Rating &from, const Rating &to, double least);

/// Appends the move that is best by `objective`, again and again, while it gets better. Ties go to the better rating.
Found completeGreedily(Oracle &oracle, Moves start, Objective objective, GreedyOptions options = {});

/// The same by the rating itself.
Found completeGreedily(Oracle &oracle, Moves start, GreedyOptions options = {});

/// Completes a partial plan without the moves that it excludes.
Found completeOtherwise(Oracle &oracle, const Rest &rest, GreedyOptions options = {});

} // namespace partita

#endif
