//===- LoopNest.cpp - the loops over mesh axes around one op --------------===//

#include "partita/Lower/LoopNest.h"

namespace partita::lower {

/// Whether `minor` is the sub-axis that follows `major` in one mesh axis.
static bool follows(const Axis &major, const Axis &minor) {
  return major.meshAxis == minor.meshAxis && major.preSize * major.size == minor.preSize;
}

/// Adds the loops of a factor whose axes are `list`, major to minor.
static void addLoops(LoopNest &nest, const Axes &axes, llvm::ArrayRef<AxisId> list, uint8_t factor) {
  for (auto [number, axis] : llvm::enumerate(list)) {
    if (number == 0 || !follows(axes[list[number - 1]], axes[axis]))
      nest.loops.push_back({{}, 1, factor});
    nest.loops.back().axes.push_back(axis);
    nest.loops.back().size *= axes[axis].size;
  }
}

/// The loops of an op in the order of their steps.
static LoopNest collectLoops(const Assignment &assignment, OpId op, const Rule &rule) {
  NodeId node = assignment.getTopology().getNode(op);
  LoopNest nest;
  for (size_t number = 0; number < rule.factors.size(); ++number) {
    auto factor = static_cast<uint8_t>(number);
    addLoops(nest, assignment.getAxes(), assignment.getFactorAxes(node, factor), factor);
  }
  auto orderOf = [&](const NestLoop &loop) {
    return std::pair(assignment.getStep(node, loop.axes.front()), loop.axes.front());
  };
  llvm::sort(nest.loops, [&](const NestLoop &a, const NestLoop &b) { return orderOf(a) < orderOf(b); });
  return nest;
}

LoopNest buildNest(const Axes &axes, const Sharding &sharding) {
  LoopNest nest;
  for (auto [dim, list] : llvm::enumerate(sharding.dims))
    addLoops(nest, axes, list, dim);
  return nest;
}

llvm::SmallVector<unsigned, 2> LoopNest::findLoops(const DimFactors &dim) const {
  llvm::SmallVector<unsigned, 2> found;
  for (uint8_t factor : dim)
    for (auto [index, loop] : llvm::enumerate(loops))
      if (loop.factor == factor)
        found.push_back(index);
  return found;
}

/// For each loop, as bits, the loops that must be outside of it.
static llvm::SmallVector<uint32_t> computeOuters(const LoopNest &nest, const Rule &rule) {
  llvm::SmallVector<uint32_t> outers(nest.loops.size(), 0);
  for (const ValueFactors &result : rule.results)
    for (const DimFactors &dim : result) {
      uint32_t majors = 0;
      for (unsigned loop : nest.findLoops(dim)) {
        outers[loop] |= majors;
        majors |= uint32_t(1) << loop;
      }
    }
  return outers;
}

std::optional<LoopNest> buildNest(const Assignment &assignment, OpId op, const Rule &rule) {
  LoopNest byStep = collectLoops(assignment, op, rule), nest;
  llvm::SmallVector<uint32_t> outers = computeOuters(byStep, rule);
  uint32_t done = 0;
  while (nest.loops.size() < byStep.loops.size()) {
    // The first remaining loop whose outer loops are all placed.
    unsigned next = 0;
    while (next < outers.size() && ((done >> next & 1) != 0 || (outers[next] & ~done) != 0))
      ++next;
    if (next == outers.size())
      return std::nullopt;
    done |= uint32_t(1) << next;
    nest.loops.push_back(byStep.loops[next]);
  }
  return nest;
}

llvm::SmallVector<NestSlice> collectSlices(const LoopNest &nest, const ValueFactors &factors, unsigned operand) {
  llvm::SmallVector<NestSlice> slices;
  for (auto [dim, dimFactors] : llvm::enumerate(factors)) {
    unsigned level = 0;
    for (unsigned loop : nest.findLoops(dimFactors)) {
      // A minor slice is taken from the result of the major one.
      level = std::max(level, loop);
      slices.push_back({level, operand, static_cast<unsigned>(dim), loop});
    }
  }
  return slices;
}

} // namespace partita::lower
