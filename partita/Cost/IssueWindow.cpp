//===- IssueWindow.cpp - how far transfers that overlap reach -------------===//

#include "partita/Cost/IssueWindow.h"

namespace partita::cost {

namespace {

/// Walks over all ops in one direction and knows how far back a window reaches.
class WindowWalk {
public:
  WindowWalk(const Graph &graph, const IdVector<OpId, uint8_t> &isAlone, uint32_t size)
      : graph(graph), isAlone(isAlone), size(size), regions(graph.regions.size()) {}

  /// The farthest op of the window of `op`, the next one.
  OpId visit(OpId op) {
    RegionId region = graph.ops[op].region;
    Passed &passed = regions[region];
    if (passed.alone.empty())
      passed.alone.assign(size, op);
    else if (region != previous)
      // A loop or branches stood between.
      push(passed, passed.last);
    OpId farthest = passed.alone.front();
    if (isAlone[op])
      push(passed, op);
    passed.last = op;
    previous = region;
    return farthest;
  }

private:
  /// The last ops of a region that stand alone, oldest first; its first op where there are fewer than `size`.
  struct Passed {
    llvm::SmallVector<OpId, 2> alone;
    OpId last;
  };

  static void push(Passed &passed, OpId op) {
    passed.alone.erase(passed.alone.begin());
    passed.alone.push_back(op);
  }

  const Graph &graph;
  const IdVector<OpId, uint8_t> &isAlone;
  uint32_t size;
  IdVector<RegionId, Passed> regions;
  RegionId previous;
};

} // namespace

std::vector<OpWindow> computeWindows(const Graph &graph, const IdVector<OpId, uint8_t> &isAlone, uint32_t size) {
  std::vector<OpWindow> windows;
  for (OpId op : idRange<OpId>(graph.ops.size()))
    windows.push_back({op, op});
  if (size == 0)
    return windows;
  WindowWalk onward(graph, isAlone, size), backward(graph, isAlone, size);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    windows[op.get()].issue = onward.visit(op);
  for (uint32_t number = graph.ops.size(); number-- > 0;)
    windows[number].done = backward.visit(OpId(number));
  return windows;
}

LiveTimes addWindows(const LiveTimes &plain, const FusionPlan &fusion, uint32_t size) {
  LiveTimes times = plain;
  const Graph &whole = plain.getWholeGraph();
  IdVector<OpId, uint8_t> isAlone;
  for (OpId op : idRange<OpId>(whole.ops.size()))
    isAlone.push_back(fusion.getRole(plain.getRepresentative(op)) == FusionRole::Alone);
  times.setWindows(computeWindows(whole, isAlone, size));
  return times;
}

} // namespace partita::cost
