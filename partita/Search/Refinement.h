//===- Refinement.h - improves a good list of moves -----------------------===//
//
// A sweep tries kinds of neighbors in order. It takes the first kind with a
// better rating and starts again; when no kind improves, the sweep is over. What
// brings most for each state comes first.
//
//   kind       parts  quick  thorough   neighbors
//   drop         x      x       x       without one move
//   mirror              x       x       two axes exchanged; one doing what another does
//   early               x       x       a move in front that has an effect only there
//   propose             x       x       a proposed move in front
//   append       x      x       x       one more move at the end
//   exchange     x      x       x       at the end an alternative to a move
//   exchange in place   x       x       an alternative to a move in its position
//   change axis         x       x       a move over another axis, or over both
//   insert              x       x       a move in front of those over many groups, which
//                                       would leave it nothing to do
//   reorder             x       x       a move at the front or behind its neighbor
//   proposed            x       x       at the end a move that is proposed once another
//                                       one is gone
//   anywhere                    x       any order; any move at the end or in front,
//                                       local moves too; any move instead of another:
//                                       then the list is a local optimum
//
// Of neighbors that drop, append or exchange moves, those that improve the list
// are then made together, as far as they are about different moves.
//
// A list is propagated from where it first differs, so changes at the end are
// cheap and changes in front are costly. Except in the thorough part, only one
// of several moves that do the same alone is tried.
//
// Then large-neighborhood repair: drops all moves of one axis and completes the
// partial plan greedily by other moves, or drops a few moves and completes the
// list. Each improvement starts quick sweeps again.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_REFINEMENT_H
#define PARTITA_SEARCH_REFINEMENT_H

#include "partita/Search/Greedy.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct RefinementOptions {
  uint64_t seed = 0;
  /// The number of repairs in a row without success before it stops.
  uint32_t maxRepairs = 16;
  uint32_t maxDropped = 3;
  GreedyOptions greedy;
};

enum class SweepKind : uint8_t {
  /// For lists whose moves over many groups were expanded.
  Parts,
  Quick,
  Thorough,
};

/// Sweeps until nothing is better or the budget is spent. A longer list must be better by `leastGain`, as a share.
Found refineBySweeps(StateEvaluator &evaluator, Found start, SweepKind kind, double leastGain = 0);

/// Sweeps on the list with moves over many groups expanded (Walker::expand), so that single groups may be left out or
/// split otherwise. Returns `start` if nothing better is found.
Found refineInParts(StateEvaluator &evaluator, Found start);

/// Thorough sweeps, then repairs.
Found refine(StateEvaluator &evaluator, Found start, const RefinementOptions &options = {});

} // namespace partita::search

#endif
