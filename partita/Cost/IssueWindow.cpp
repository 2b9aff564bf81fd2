//===- IssueWindow.cpp - how far transfers that overlap reach -------------===//

#include "partita/Cost/IssueWindow.h"

#include "partita/Cost/LateProducts.h"

#include "llvm/ADT/STLExtras.h"

#include <map>

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
    windows.push_back({op, op, op});
  if (size == 0)
    return windows;
  WindowWalk onward(graph, isAlone, size), backward(graph, isAlone, size);
  for (OpId op : idRange<OpId>(graph.ops.size()))
    windows[op.get()].issue = onward.visit(op);
  for (uint32_t number = graph.ops.size(); number-- > 0;)
    windows[number].done = backward.visit(OpId(number));
  return windows;
}

/// Reductions that something at `join` waits for are joined into few, which run right before it.
static void delayReductions(const Graph &graph, OpId join, std::vector<OpWindow> &windows) {
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (graph.ops[op].region == graph.ops[join].region && op < join)
      windows[op.get()].done = std::max(windows[op.get()].done, join);
}

/// By cell: the barrier that it passes first; invalid if there is none.
static IdVector<CellId, OpId> findBarriers(const Graph &graph) {
  IdVector<CellId, OpId> barriers(graph.cells.size());
  for (uint32_t number = graph.ops.size(); number-- > 0;)
    if (graph.ops[OpId(number)].role == IdentityRole::Barrier)
      barriers[graph.getOperands(OpId(number))[0]] = OpId(number);
  return barriers;
}

/// Reductions that stand behind a barrier are done when those of the barrier are, and before the next barrier that
/// their results pass.
static void passBarriers(const LiveTimes &plain, const Overlap &overlap, std::vector<OpWindow> &windows) {
  const Graph &whole = plain.getWholeGraph();
  IdVector<CellId, OpId> definitions(whole.cells.size()), barriers = findBarriers(whole);
  for (OpId op : idRange<OpId>(whole.ops.size())) {
    for (CellId cell : whole.getResults(op))
      definitions[cell] = op;
    if (whole.ops[op].role != IdentityRole::Barrier)
      continue;
    OpWindow &own = windows[op.get()];
    if (OpId next = barriers[whole.getResults(op)[0]]; next.isValid() && next <= own.done)
      own.done = OpId(next.get() - 1);
    OpId folded = plain.getRepresentative(op), definition = definitions[whole.getOperands(op)[0]];
    if (definition.isValid() && overlap.isPassedUnreduced(folded))
      windows[definition.get()].done = own.done;
  }
}

/// What constants that one kernel writes have in common: region, phase, type and shape.
static std::vector<int64_t> describeConstant(const Graph &graph, OpId entry) {
  CellId cell = graph.getOperands(entry)[0];
  std::vector<int64_t> words = {graph.ops[entry].region.get(), static_cast<int64_t>(graph.ops[entry].phase),
                                graph.cells[cell].elementBits};
  llvm::append_range(words, graph.getShape(cell));
  return words;
}

/// Constants that loops start from are written as soon as the loop or branch before the first of these is done.
static void advanceConstants(const LiveTimes &plain, const FusionPlan &fusion, std::vector<OpWindow> &windows) {
  const Graph &whole = plain.getWholeGraph();
  IdVector<RegionId, OpId> begins(whole.regions.size());
  std::map<std::vector<int64_t>, OpId> written;
  RegionId previous;
  for (OpId op : idRange<OpId>(whole.ops.size())) {
    RegionId region = whole.ops[op].region;
    if (region != previous)
      begins[region] = op;
    previous = region;
    if (fusion.startsFree(plain.getRepresentative(op))) {
      OpId first = written.try_emplace(describeConstant(whole, op), begins[region]).first->second;
      windows[op.get()].issue = std::min(windows[op.get()].issue, first);
    }
  }
}

LiveTimes addWindows(const LiveTimes &plain, const FusionPlan &fusion, const Overlap &overlap, WindowSizes sizes) {
  LiveTimes times = plain;
  const Graph &whole = plain.getWholeGraph();
  IdVector<OpId, FusionRole> roles;
  IdVector<OpId, uint8_t> isAlone;
  for (OpId op : idRange<OpId>(whole.ops.size())) {
    roles.push_back(fusion.getRole(plain.getRepresentative(op)));
    isAlone.push_back(roles[op] == FusionRole::Alone);
  }
  std::vector<OpWindow> windows = computeWindows(whole, isAlone, sizes.issue);
  if (sizes.late > 0) {
    IdVector<OpId, OpId> latest = computeLatestOps(whole, roles, sizes.late);
    for (OpId op : idRange<OpId>(whole.ops.size()))
      windows[op.get()].latest = latest[op];
    advanceConstants(plain, fusion, windows);
    if (overlap.hasJoin())
      delayReductions(whole, plain.getOrigin(overlap.getJoin()), windows);
  }
  if (sizes.issue > 0)
    passBarriers(plain, overlap, windows);
  times.setWindows(windows);
  return times;
}

} // namespace partita::cost
