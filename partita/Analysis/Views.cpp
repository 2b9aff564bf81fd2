//===- Views.cpp - what a value becomes without being computed with -------===//

#include "partita/Analysis/Views.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace partita::analysis {

/// Neither walk looks at more values.
static constexpr size_t maxCells = 512;

/// Whether an op passes the elements of operand 0 on.
static bool passesOn(const Op &op) {
  return op.opClass == OpClass::Identity || op.opClass == OpClass::Movement || op.kind == OpKind::Convert ||
         op.kind == OpKind::Slice || op.kind == OpKind::DynamicSlice;
}

std::vector<ValueView> findViews(const Topology &topology, CellId cell) {
  const Graph &graph = topology.getGraph();
  std::map<CellId, bool> isSlice{{cell, false}};
  std::vector<CellId> work{cell};
  while (!work.empty() && isSlice.size() < maxCells) {
    CellId next = work.back();
    work.pop_back();
    for (UseId use : topology.getUses(next)) {
      OpId user = topology.getUser(use);
      const Op &op = graph.ops[user];
      if (!passesOn(op) || graph.getOperands(user).empty() || graph.getOperands(user)[0] != next)
        continue;
      for (CellId result : graph.getResults(user))
        if (isSlice.try_emplace(result, isSlice[next] || readsPart(op.kind)).second)
          work.push_back(result);
    }
  }
  std::vector<ValueView> views;
  for (auto [view, isPart] : isSlice)
    if (view != cell)
      views.push_back({view, isPart});
  return views;
}

/// The operands that the walk from the next state back to the gradient follows.
static llvm::ArrayRef<CellId> findSources(const Graph &graph, OpId id) {
  const Op &op = graph.ops[id];
  llvm::ArrayRef<CellId> operands = graph.getOperands(id);
  if (op.opClass == OpClass::Identity || op.opClass == OpClass::Elementwise)
    return operands;
  if (op.opClass == OpClass::Movement)
    return operands.take_front(1);
  if (op.opClass == OpClass::Indexing && op.linearity == Linearity::Update)
    return operands.slice(1, 1);
  return {};
}

/// The op that computes a value, or the identities that pass it into and around a loop.
static llvm::SmallVector<OpId> listDefinitions(const Topology &topology, CellId cell) {
  llvm::SmallVector<OpId> list(topology.getDefinitions(cell));
  if (OpId op = topology.getDefinition(cell); op.isValid())
    list.push_back(op);
  return list;
}

std::vector<CellId> findGradientPath(const Topology &topology, CellId argument) {
  const Graph &graph = topology.getGraph();
  auto tie = llvm::find_if(graph.ties, [&](const Tie &each) { return each.argument == argument; });
  if (tie == graph.ties.end())
    return {};
  std::set<CellId> seen;
  std::vector<CellId> work{tie->result};
  while (!work.empty() && seen.size() < maxCells) {
    CellId next = work.back();
    work.pop_back();
    if (graph.cells[next].kind == CellKind::Argument || graph.cells[next].rank == 0 || !seen.insert(next).second)
      continue;
    for (OpId op : listDefinitions(topology, next))
      if (graph.ops[op].opClass == OpClass::Identity || graph.ops[op].phase != Phase::Forward)
        llvm::append_range(work, findSources(graph, op));
  }
  return {seen.begin(), seen.end()};
}

} // namespace partita::analysis
