//===- StateFlow.cpp - which arguments a result is the next value of ------===//

#include "partita/Program/StateFlow.h"

namespace partita::program {

bool haveSameType(const Graph &graph, CellId a, CellId b) {
  return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
}

static bool isUpdate(const Op &op) { return op.kind == OpKind::DynamicUpdateSlice || op.kind == OpKind::Scatter; }

/// Whether the op makes a large value of a small one, as a broadcast does.
static bool isExpanding(const Graph &graph, OpId op) {
  auto getBytes = [&](CellId cell) { return graph.getBytes(cell); };
  return graph.ops[op].opClass == OpClass::Movement && llvm::none_of(graph.getOperands(op), [&](CellId cell) {
           return getBytes(cell) >= getBytes(graph.getResults(op).front());
         });
}

llvm::SmallVector<StateFlow::Reached> StateFlow::walk(llvm::ArrayRef<CellId> starts,
                                                      llvm::SmallVectorImpl<CellId> &updated, bool &hasOthers) {
  constexpr size_t maxCells = 4096;
  ++numWalks;
  llvm::SmallVector<Reached> cells;
  for (CellId cell : starts)
    if (std::exchange(seenBy[cell], numWalks) != numWalks)
      cells.push_back({cell, 0});
  for (size_t i = 0; i < cells.size() && cells.size() < maxCells; ++i) {
    auto [cell, distance] = cells[i];
    for (OpId op : neighbors.definers[cell]) {
      const Op &entry = graph.ops[op];
      llvm::ArrayRef<CellId> operands = graph.getOperands(op);
      if (isUpdate(entry))
        updated.push_back(operands.front());
      if (entry.opClass != OpClass::Elementwise && entry.opClass != OpClass::Identity) {
        hasOthers |= !operands.empty() && !isExpanding(graph, op);
        continue;
      }
      for (CellId operand : operands)
        if (graph.getShape(operand) == graph.getShape(cell) && std::exchange(seenBy[operand], numWalks) != numWalks)
          cells.push_back({operand, distance + 1});
    }
  }
  llvm::erase_if(cells, [&](const Reached &reached) { return graph.cells[reached.first].kind != CellKind::Argument; });
  return cells;
}

StateSources StateFlow::findSources(CellId result) {
  StateSources found;
  llvm::SmallVector<CellId> updated;
  for (auto [cell, distance] : walk(result, updated, found.hasOthers))
    if (haveSameType(graph, cell, result)) {
      found.arguments.push_back(cell);
      found.distances.push_back(distance);
    } else {
      found.casts.push_back(cell);
    }
  // What is updated may itself be the result of an update.
  llvm::SmallVector<CellId> todo = updated;
  while (!todo.empty()) {
    llvm::SmallVector<CellId> next;
    bool isIgnored = false;
    for (auto [cell, distance] : walk(std::exchange(todo, {}), next, isIgnored))
      if (haveSameType(graph, cell, result) && !llvm::is_contained(found.written, cell))
        found.written.push_back(cell);
    for (CellId cell : next)
      if (!llvm::is_contained(updated, cell)) {
        updated.push_back(cell);
        todo.push_back(cell);
      }
  }
  return found;
}

} // namespace partita::program
