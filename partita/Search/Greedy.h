//===- Greedy.h - completes a list of moves, best first -------------------===//

#ifndef PARTITA_SEARCH_GREEDY_H
#define PARTITA_SEARCH_GREEDY_H

#include "partita/Search/Oracle.h"

namespace partita {

/// Less is better.
using Objective = llvm::function_ref<double(const Rating &)>;

/// Which moves, where, how many.
struct GreedyOptions {
  /// Moves of a pass: as many of those that the space proposes for the goal, and of those that do best alone. With 0,
  /// every move.
  uint32_t width = 64;
  /// After a pass, this many of the best are tried again alone until none of them helps.
  uint32_t shortlist = 24;
  uint32_t maxLength = 24;
  /// Gains below this are left to refinement: in the objective, or as a share of the first part of the rating that
  /// gets better.
  double leastGain = 0.001;
  /// Moves that are not appended.
  std::vector<MoveId> barred;
};

/// Whether the first part in which ratings differ gets better, by this share of it at least.
bool isGain(const Rating &from, const Rating &to, double least);

/// Appends the move that is best by `objective`, again and again, while it gets better. Ties go to the better rating.
Found completeGreedily(Oracle &oracle, Moves start, Objective objective, GreedyOptions options = {});

/// The same by the rating itself.
Found completeGreedily(Oracle &oracle, Moves start, GreedyOptions options = {});

/// Completes a rest without what is barred.
Found completeOtherwise(Oracle &oracle, const Rest &rest, GreedyOptions options = {});

} // namespace partita

#endif
