//===- BoundProblem.h - the choices of a program as a pairwise problem ----===//
//
// Variables
//
//   ops      label: for each axis the factor that it splits, the sum, or none (a
//            row); cost: the op's own compute, n(op) c(op, row)            computeRow
//   places   label: the form of an argument, carried value or branch result
//   hubs     label: the form in which a value stands ready for its uses: behind a
//            pin and behind the reduction that its uses share. Partial only if
//            some use may take the sum: otherwise all share one reduction
//
// Edges are what may stand between forms of one value (ShardingTable.h): from the op
// that defines it to its hub or place, from there to each use; from the op
// straight to the use, if there is one use, in the same segment, and its memory
// does not matter. Why that is no more than what reshards cost
// (Cost/CellReshards.h):
//
//   behind a definition   one reshard in the definition's segment, R; if some use
//                         may take the sum, perhaps one to a pinned form and one
//                         reduction: T
//   before uses           uses of one region that need the same form share a
//                         reshard, whatever groups the plan has; so of k uses in
//                         a region each bears 1/k, and those that need the same
//                         form bear one together at most
//   partial hub           uses that want different sums reduced: each bears 1/k of all k
//                         uses, at the cheaper of the two segments
//
// What may hide behind compute is as in UnitPricer::isOverlapped: reductions of
// late values, gathers of parameters. What is rounded, is rounded down.
//
// Memory that is sure to be alive (Cost/UnitPrice.cpp): arguments, always; a
// value that a loop changes, while the loop runs; one that a loop passes on, if
// nothing else holds its buffer; an op's result, from there to its last use, in
// the hub's form or the one that the last use takes, whichever is smaller. Left
// out: what may be made in a donated argument or a carried value, temporaries, what
// stays in kernels.
//
// A folded program (Folding.h) is bounded as it stands: for plans that treat
// repeated layers alike.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUNDPROBLEM_H
#define PARTITA_SEARCH_BOUND_BOUNDPROBLEM_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Bound/ShardingTable.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// No assignment within the memory limit takes less time than the least choice of the problem. `tables` stays with it.
/// Labels that alone, all others at their best, take the known time or more are left out. Nothing if it is over before
/// it is built.
std::optional<PairwiseProblem> buildBoundProblem(const CostModel &model, ShardingTables &tables,
                                                 const BoundOptions &options);

} // namespace partita::search

#endif
