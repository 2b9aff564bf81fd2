//===- ReshardMoves.cpp - the single steps from a state of a reshard ------===//
//
// One function for each kind of step. A step moves as many axes at once as it
// can, so that it is one collective. Slices use only axes that split the
// target: others would have to be gathered again.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/ReshardProblem.h"

namespace partita::cost {

namespace {

class Moves {
public:
  Moves(const ReshardProblem &problem, ReshardState state, llvm::function_ref<void(const ReshardMove &)> visit)
      : problem(problem), state(state), visit(visit), numDims(static_cast<unsigned>(problem.dims.size())) {
    for (unsigned dim = 0; dim < numDims; ++dim)
      splits.push_back({problem.countAxes(state, dim), problem.countParts(state, dim)});
  }

  void run(bool withPermutes) {
    for (unsigned dim = 0; dim < numDims; ++dim) {
      append(CollectiveKind::AllSlice, dim, state, splits[dim]);
      append(CollectiveKind::ReduceScatter, dim, state, splits[dim]);
      takeLast(dim);
    }
    reduce();
    if (!withPermutes)
      return;
    ReshardState bare = state;
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (bare.isLocated(axis))
        bare.setFree(axis);
    permute(0, bare, {});
  }

private:
  /// How many axes split a dim, and into how many parts.
  struct Split {
    unsigned numAxes = 0;
    int64_t parts = 1;

    Split with(int64_t size) const { return {numAxes + 1, parts * size}; }
  };

  /// Whether `axis` is one that the kind of step appends to a dim.
  bool canAppend(CollectiveKind kind, unsigned axis, ReshardState reached) const {
    if (kind == CollectiveKind::ReduceScatter)
      return reached.isPartial(axis);
    return reached.isFree(axis) && problem.wanted[axis];
  }

  /// all_slice or reduce_scatter: appends each sequence of free or partial axes to those of `dim`.
  void append(CollectiveKind kind, unsigned dim, ReshardState reached, Split split) {
    for (unsigned axis = 0; axis < problem.size(); ++axis) {
      if (!canAppend(kind, axis, reached) || problem.dimSizes[dim] % (split.parts * problem.axisSizes[axis]) != 0)
        continue;
      ReshardState after = reached;
      after.place(axis, dim, split.numAxes);
      emit(kind, dim, 0, after);
      append(kind, dim, after, split.with(problem.axisSizes[axis]));
    }
  }

  /// all_gather and all_to_all: move one or more of the last axes of `dim`.
  void takeLast(unsigned dim) {
    for (unsigned first = splits[dim].numAxes; first-- > 0;) {
      ReshardState after = state;
      int64_t parts = 1;
      for (unsigned axis = 0; axis < problem.size(); ++axis)
        if (state.isOn(axis, dim) && state.getPosition(axis) >= first) {
          after.setFree(axis);
          parts *= problem.axisSizes[axis];
        }
      for (unsigned toDim = 0; toDim < numDims; ++toDim)
        if (toDim != dim && problem.dimSizes[toDim] % (splits[toDim].parts * parts) == 0)
          emit(CollectiveKind::AllToAll, dim, toDim, moveLast(dim, first, toDim));
      emit(CollectiveKind::AllGather, dim, 0, after);
    }
  }

  ReshardState moveLast(unsigned dim, unsigned first, unsigned toDim) const {
    ReshardState after = state;
    unsigned behind = splits[toDim].numAxes;
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (state.isOn(axis, dim) && state.getPosition(axis) >= first)
        after.place(axis, toDim, behind + state.getPosition(axis) - first);
    return after;
  }

  /// all_reduce: each set of axes to be reduced.
  void reduce() {
    unsigned open = 0;
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (state.isPartial(axis))
        open |= 1U << axis;
    for (unsigned set = open; set != 0; set = (set - 1) & open) {
      ReshardState after = state;
      for (unsigned axis = 0; axis < problem.size(); ++axis)
        if (set >> axis & 1)
          after.setFree(axis);
      emit(CollectiveKind::AllReduce, 0, 0, after);
    }
  }

  /// collective_permute: each way to split every dim from `dim` on into as many parts as now, by other axes or in
  /// another order. `split` is that of `dim` by now.
  void permute(unsigned dim, ReshardState reached, Split split) {
    if (dim == numDims) {
      if (reached != state)
        emit(CollectiveKind::CollectivePermute, 0, 0, reached);
      return;
    }
    int64_t missing = splits[dim].parts / split.parts;
    if (missing == 1)
      return permute(dim + 1, reached, {});
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (reached.isFree(axis) && missing % problem.axisSizes[axis] == 0) {
        ReshardState after = reached;
        after.place(axis, dim, split.numAxes);
        permute(dim, after, split.with(problem.axisSizes[axis]));
      }
  }

  void emit(CollectiveKind kind, unsigned dim, unsigned toDim, ReshardState after) {
    visit({kind, static_cast<uint8_t>(dim), static_cast<uint8_t>(toDim), after});
  }

  const ReshardProblem &problem;
  ReshardState state;
  llvm::function_ref<void(const ReshardMove &)> visit;
  unsigned numDims;
  /// Of each dim in `state`.
  llvm::SmallVector<Split, 8> splits;
};

} // namespace

void forEachMove(const ReshardProblem &problem, ReshardState state, bool withPermutes,
                 llvm::function_ref<void(const ReshardMove &)> visit) {
  Moves(problem, state, visit).run(withPermutes);
}

} // namespace partita::cost
