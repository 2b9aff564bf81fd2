//===- ConflictSizes.cpp - which sides of conflicts are smaller -----------===//

#include "partita/Propagate/ConflictSizes.h"

#include "partita/Support/Saturating.h"

#include <algorithm>

namespace partita::propagate {

namespace {

/// How far the dims and op factors that a step reaches are from its roots.
class ReachDepths {
public:
  ReachDepths(const Topology &topology, llvm::ArrayRef<DimId> roots, llvm::function_ref<bool(DimId)> isReachedDim,
              llvm::function_ref<bool(OpFactorId)> isReachedFactor)
      : topology(topology), dims(topology.getNumDims(), far), opFactors(topology.getNumOpFactors(), far) {
    std::vector<DimId> level(roots.begin(), roots.end()), next;
    for (DimId root : roots)
      dims[root] = 0;
    for (uint32_t depth = 1; !level.empty(); depth += 2, level.swap(next), next.clear())
      for (DimId dim : level)
        for (OpFactorId opFactor : topology.getOpFactors(dim)) {
          if (opFactors[opFactor] != far || !isReachedFactor(opFactor))
            continue;
          opFactors[opFactor] = depth;
          for (const FactorDim &entry : topology.getDims(opFactor))
            if (dims[entry.dim] == far && isReachedDim(entry.dim)) {
              dims[entry.dim] = depth + 1;
              next.push_back(entry.dim);
            }
        }
  }

  /// The depth at which the second side arrives at a node.
  uint32_t getMeeting(const Conflict &conflict) const {
    uint32_t meeting = far;
    for (NodeId node : conflict.nodes) {
      uint32_t first = far, second = far;
      for (const ConflictSide &side : conflict.sides) {
        uint32_t depth = getDepth(side, node);
        if (depth < first)
          second = std::exchange(first, depth);
        else
          second = std::min(second, depth);
      }
      meeting = std::min(meeting, second);
    }
    return meeting;
  }

  /// The elements of the values through which the step arrives at the side's op factors.
  int64_t countElements(const ConflictSide &side) const {
    int64_t elements = 0;
    for (OpFactorId opFactor : side.opFactors) {
      llvm::SmallVector<CellId, 4> counted;
      for (const FactorDim &entry : topology.getDims(opFactor)) {
        CellId cell = topology.getCell(entry.dim);
        if (dims[entry.dim] >= opFactors[opFactor] || llvm::is_contained(counted, cell))
          continue;
        counted.push_back(cell);
        int64_t size = 1;
        for (int64_t dimSize : topology.getGraph().getShape(cell))
          size = multiplySaturated(size, dimSize);
        elements = addSaturated(elements, size);
      }
    }
    return elements;
  }

  /// A side may have several op factors of one node, as x @ x^T has. All but the nearest, then lowest, of each node.
  std::vector<OpFactorId> findSurplus(const ConflictSide &side) const {
    std::vector<OpFactorId> surplus;
    std::optional<OpFactorId> kept;
    for (OpFactorId opFactor : side.opFactors) {
      bool isOther = kept && topology.getNode(*kept) == topology.getNode(opFactor);
      if (isOther && opFactors[*kept] <= opFactors[opFactor]) {
        surplus.push_back(opFactor);
        continue;
      }
      if (isOther)
        surplus.push_back(*kept);
      kept = opFactor;
    }
    return surplus;
  }

private:
  static constexpr uint32_t far = UINT32_MAX;

  uint32_t getDepth(const ConflictSide &side, NodeId node) const {
    uint32_t depth = far;
    for (OpFactorId opFactor : side.opFactors)
      if (topology.getNode(opFactor) == node)
        depth = std::min(depth, opFactors[opFactor]);
    return depth;
  }

  const Topology &topology;
  IdVector<DimId, uint32_t> dims;
  IdVector<OpFactorId, uint32_t> opFactors;
};

} // namespace

std::vector<OpFactorId> findSmallerSides(const Topology &topology, llvm::ArrayRef<DimId> roots,
                                         llvm::ArrayRef<Conflict> conflicts,
                                         llvm::function_ref<bool(DimId)> isReachedDim,
                                         llvm::function_ref<bool(OpFactorId)> isReachedFactor) {
  ReachDepths depths(topology, roots, isReachedDim, isReachedFactor);
  uint32_t nearest = UINT32_MAX;
  for (const Conflict &conflict : conflicts)
    nearest = std::min(nearest, depths.getMeeting(conflict));
  std::vector<OpFactorId> smaller;
  for (const Conflict &conflict : conflicts) {
    if (depths.getMeeting(conflict) != nearest)
      continue;
    auto isBetter = [&](const ConflictSide &a, const ConflictSide &b) {
      int64_t elements = depths.countElements(a), others = depths.countElements(b);
      return elements != others ? elements > others : a.dims < b.dims;
    };
    const ConflictSide *best = &conflict.sides.front();
    for (const ConflictSide &side : conflict.sides)
      if (isBetter(side, *best))
        best = &side;
    for (const ConflictSide &side : conflict.sides)
      if (&side != best)
        llvm::append_range(smaller, side.opFactors);
    llvm::append_range(smaller, depths.findSurplus(*best));
  }
  return smaller;
}

} // namespace partita::propagate
