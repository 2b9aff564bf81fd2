//===- BoundProblem.h - a program's choices as a pairwise problem ---------===//
//
// Variables
//
//   ops      label: a node state, that is, for each axis the factor that it splits,
//            the partial sum, or none; cost: the op's own compute,
//            n(op) c(op, state)                                         computeStateCost
//   boundary label: the sharding of an argument, carried value or branch result
//   hubs     label: the sharding in which a value is available to its uses: after a
//            pin and after the reduction that its uses share. Partial only if some
//            use may propagate the sum: otherwise all share one reduction
//
// Edges are the reshards between shardings of one value (ShardingTable.h): from
// the op that defines it to its hub or boundary value, from there to each use;
// from the op directly to the use, if there is one use, in the same segment,
// and its memory does not matter. Their costs are no more than those of the
// reshards (Cost/CellReshards.h):
//
//   after a definition    one reshard in the definition's segment, R; if some use may
//                         propagate the sum, perhaps one to a pinned sharding and one
//                         reduction: T
//   before uses           uses of one region that require the same sharding share a
//                         reshard, whatever groups the plan has; so of k uses in a
//                         region each bears 1/k, and those that require the same
//                         sharding together bear at most one
//   partial hub           uses that require different sums reduced: each bears 1/k of
//                         all k uses, at the cheaper of the two segments
//
// What may hide behind compute, for some plan, is as in UnitPricer::getKind:
// reductions of late values that their iteration does not wait for, gathers of
// parameters. Of these, what no compute is beside counts in full at the cuts of
// PathPlaces.h. Rounding is always down.
//
// Memory that is certainly alive (Cost/UnitPrice.cpp): arguments, always; a
// value that a loop changes, while the loop runs; one that a loop passes on, if
// nothing else holds its buffer; an op's result, from there to its last use, in
// the hub's sharding or the one that the last use takes, whichever is smaller.
// Not counted: what may be written into a donated argument or a carried value,
// temporaries, what stays in kernels.
//
// A folded program (Folding.h) is bounded as it is: for plans that treat
// repeated layers alike.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUNDPROBLEM_H
#define PARTITA_SEARCH_BOUND_BOUNDPROBLEM_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Bound/BoundStates.h"
#include "partita/Search/Bound/ShardingTable.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// The variables that are ops, and what their labels mean.
struct OpLabels {
  IdVector<OpId, VariableId> variables;
  /// For each label; empty if there are too many states to list.
  IdVector<OpId, std::vector<BoundState>> states;
  /// The most time that a state of the op takes.
  IdVector<OpId, int64_t> times;
  /// What all ops take together, each in its fastest state.
  int64_t leastComputePs = 0;
};

/// Builds a problem whose least choice takes no more time than any assignment within the memory limit. It refers to
/// `tables`. Leaves out labels that take the known time or more even with all other labels at their best. Sets
/// `labels`. Nullopt if isOver() stops it before it is built.
std::optional<PairwiseProblem> buildBoundProblem(const CostModel &model, ShardingTables &tables,
                                                 const BoundOptions &options, OpLabels &labels);

} // namespace partita::search

#endif
