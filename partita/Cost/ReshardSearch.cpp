//===- ReshardSearch.cpp - the cheapest reshard plan by shortest path -----===//
//
// Dijkstra's algorithm over states, with labels (sent bits, temporaries,
// steps). A path to a state that sends more than another can be dropped. A path
// with the same traffic and smaller temporaries may still lose later, when both
// meet a larger temporary and the steps decide. So a state keeps all labels of
// least traffic that are better in one of the two.
//
// Labels are visited in the order of a lower bound of their final traffic: a
// piece that is smaller than the target's must still receive the rest of it. No
// step lowers this bound, so the first label to arrive at the target is the
// least (as in A*).
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/ReshardPaths.h"
#include "partita/Cost/ReshardPlanBuilder.h"
#include "partita/Cost/ReshardProblem.h"
#include "partita/Support/Saturating.h"

#include "llvm/ADT/DenseMap.h"

#include <queue>
#include <tuple>

namespace partita::cost {

namespace {

struct Label {
  int64_t sentBits = 0;
  int64_t temporaryBits = 0;
  uint32_t numSteps = 0;
  uint32_t parent = 0;
  /// The step that led here.
  ReshardMove move;
};

class Search {
public:
  Search(const ReshardProblem &problem, int64_t boundBits)
      : problem(problem), boundBits(boundBits), toBits(problem.getBits(problem.to)) {}

  /// The steps of the cheapest path, in order; none if the search takes too long.
  ReshardPath run() {
    ReshardMove start;
    start.after = problem.from;
    add({0, 0, 0, 0, start}, problem.getBits(start.after));
    while (!queue.empty() && numMoves < maxMoves) {
      uint32_t id = std::get<3>(queue.top());
      queue.pop();
      Label label = labels[id];
      if (label.move.after == problem.to)
        return trace(id);
      if (isBest(label))
        expand(id, label);
    }
    return {};
  }

private:
  /// Takes some hundredths of a second; reached only with five or more axes.
  static constexpr size_t maxMoves = size_t(1) << 18;

  void expand(uint32_t id, const Label &label) {
    ReshardState state = label.move.after;
    int64_t stateBits = problem.getBits(state), heldBits = state == problem.from ? 0 : stateBits;
    // Two permutes in a row equal one. Whatever a permute leads to, it sends the whole piece and leaves its size.
    bool mayPermute = label.move.kind != CollectiveKind::CollectivePermute &&
                      label.sentBits + stateBits + getMissingBits(stateBits) <= boundBits;
    forEachMove(problem, state, mayPermute, [&](const ReshardMove &move) {
      ++numMoves;
      int64_t afterBits = problem.getBits(move.after);
      int64_t sentBits =
          label.sentBits + computeSentBits(move.kind, stateBits, afterBits, problem.getGroupSize(state, move));
      if (sentBits + getMissingBits(afterBits) > boundBits)
        return;
      int64_t temporaryBits = heldBits + (move.after == problem.to ? 0 : afterBits);
      add({sentBits, std::max(label.temporaryBits, temporaryBits), label.numSteps + 1, id, move}, afterBits);
    });
  }

  int64_t getMissingBits(int64_t bits) const { return std::max<int64_t>(0, toBits - bits); }

  static bool isNoWorse(const Label &a, const Label &b) {
    return a.sentBits < b.sentBits ||
           (a.sentBits == b.sentBits && a.temporaryBits <= b.temporaryBits && a.numSteps <= b.numSteps);
  }

  /// Whether its state has no better label by now.
  bool isBest(const Label &label) {
    return llvm::none_of(fronts[label.move.after.getCode()], [&](uint32_t other) {
      return isNoWorse(labels[other], label) && !isNoWorse(label, labels[other]);
    });
  }

  /// `bits` are those of its state.
  void add(const Label &label, int64_t bits) {
    llvm::SmallVector<uint32_t, 2> &front = fronts[label.move.after.getCode()];
    if (llvm::any_of(front, [&](uint32_t other) { return isNoWorse(labels[other], label); }))
      return;
    llvm::erase_if(front, [&](uint32_t other) { return isNoWorse(label, labels[other]); });
    uint32_t id = static_cast<uint32_t>(labels.size());
    front.push_back(id);
    labels.push_back(label);
    queue.emplace(label.sentBits + getMissingBits(bits), label.temporaryBits, label.numSteps, id);
  }

  ReshardPath trace(uint32_t id) const {
    ReshardPath moves;
    for (; labels[id].numSteps != 0; id = labels[id].parent)
      moves.push_back(labels[id].move);
    std::reverse(moves.begin(), moves.end());
    return moves;
  }

  using Entry = std::tuple<int64_t, int64_t, uint32_t, uint32_t>;
  const ReshardProblem &problem;
  int64_t boundBits, toBits;
  size_t numMoves = 0;
  std::vector<Label> labels;
  llvm::DenseMap<uint64_t, llvm::SmallVector<uint32_t, 2>> fronts;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};

/// Writes the steps of a search as steps of a plan.
class Replay {
public:
  Replay(const ReshardProblem &problem, ReshardPlanBuilder &builder) : problem(problem), builder(builder) {}

  void add(ReshardState before, const ReshardMove &move) {
    uint32_t dim = problem.dims.empty() ? 0 : problem.dims[move.dim];
    switch (move.kind) {
    case CollectiveKind::AllSlice:
      return builder.slice(getMoved(before, move.after, move.dim), dim);
    case CollectiveKind::ReduceScatter:
      return builder.reduceScatter(getMoved(before, move.after, move.dim), dim);
    case CollectiveKind::AllGather:
      return builder.gather(dim, countLost(before, move));
    case CollectiveKind::AllToAll:
      return builder.exchange(dim, countLost(before, move), problem.dims[move.toDim]);
    case CollectiveKind::CollectivePermute:
      return builder.permute(problem.getSharding(move.after));
    case CollectiveKind::AllReduce:
      return builder.allReduce(getReduced(before, move.after));
    }
  }

private:
  /// The axes that `dim` has gained, major to minor.
  llvm::SmallVector<AxisId, 2> getMoved(ReshardState before, ReshardState after, unsigned dim) const {
    unsigned first = problem.countAxes(before, dim);
    llvm::SmallVector<AxisId, 2> moved(problem.countAxes(after, dim) - first);
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (after.isOn(axis, dim) && after.getPosition(axis) >= first)
        moved[after.getPosition(axis) - first] = problem.axes[axis];
    return moved;
  }

  size_t countLost(ReshardState before, const ReshardMove &move) const {
    return problem.countAxes(before, move.dim) - problem.countAxes(move.after, move.dim);
  }

  llvm::SmallVector<AxisId, 2> getReduced(ReshardState before, ReshardState after) const {
    llvm::SmallVector<AxisId, 2> reduced;
    for (unsigned axis = 0; axis < problem.size(); ++axis)
      if (before.isPartial(axis) && !after.isPartial(axis))
        reduced.push_back(problem.axes[axis]);
    return reduced;
  }

  const ReshardProblem &problem;
  ReshardPlanBuilder &builder;
};

} // namespace

ReshardPath ReshardPaths::find(const ReshardProblem &problem, int64_t boundBits) {
  auto [entry, isNew] = known.try_emplace(makeKey(problem, boundBits));
  if (isNew)
    entry->second = Search(problem, boundBits).run();
  return entry->second;
}

/// Whether a plan of one all_reduce is certainly the cheapest. Let p be the bits of a piece, q the number of devices
/// over which it is partial, b the bits of the whole. If the target has none of the axes, nothing is sliced on the way,
/// and b + p (1 - 2/q) bounds what is still to be sent: no step lowers it by more than it sends. At the start that is
/// what the all_reduce sends. Other ways have more steps. Holds if no piece is rounded.
static bool isPlainReduction(const ReshardProblem &problem, const ReshardPlan &plan) {
  int64_t parts = 1;
  for (int64_t size : problem.axisSizes)
    parts = multiplySaturated(parts, size);
  return plan.steps.size() == 1 && plan.steps.front().kind == CollectiveKind::AllReduce && problem.bits % parts == 0 &&
         llvm::none_of(problem.wanted, [](bool isWanted) { return isWanted; });
}

ReshardPlan planByShortestPath(const Axes &axes, ReshardPlan bound, ReshardPaths &paths) {
  ReshardProblem problem;
  // No plan beats no step, or one step that sends nothing.
  if (bound.steps.size() <= 1 && bound.sentBits == 0)
    return bound;
  if (!buildReshardProblem(axes, bound, problem) || isPlainReduction(problem, bound))
    return bound;
  ReshardPath moves = paths.find(problem, bound.sentBits);
  if (moves.empty())
    return bound;
  ReshardPlanBuilder builder(axes, bound.shape, bound.elementBits, bound.from, bound.to);
  Replay replay(problem, builder);
  ReshardState state = problem.from;
  for (const ReshardMove &move : moves) {
    replay.add(state, move);
    state = move.after;
  }
  return builder.take();
}

} // namespace partita::cost
