//===- StateFlow.cpp - which arguments a result is the next value of ------===//

#include "partita/Program/StateFlow.h"

namespace partita::program {

bool haveSameType(const Graph &graph, CellId a, CellId b) {
  return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
}

bool isFloat(const Graph &graph, CellId cell) {
  llvm::StringRef element = graph.getName(graph.cells[cell].element);
  return element.starts_with("f") || element.starts_with("bf") || element.starts_with("complex");
}

static bool isUpdate(const Op &op) { return op.kind == OpKind::DynamicUpdateSlice || op.kind == OpKind::Scatter; }

/// Whether the op makes a large value of a small one, as a broadcast does.
static bool isExpanding(const Graph &graph, OpId op) {
  auto getBytes = [&](CellId cell) { return graph.getBytes(cell); };
  return graph.ops[op].opClass == OpClass::Movement && llvm::none_of(graph.getOperands(op), [&](CellId cell) {
           return getBytes(cell) >= getBytes(graph.getResults(op).front());
         });
}

llvm::SmallVector<CellId> StateFlow::walk(llvm::SmallVector<CellId> cells, llvm::SmallVectorImpl<CellId> &updated,
                                          bool &hasOthers) {
  constexpr size_t maxCells = 4096;
  ++numWalks;
  for (size_t i = 0; i < cells.size() && cells.size() < maxCells; ++i)
    for (OpId op : neighbors.definers[cells[i]]) {
      const Op &entry = graph.ops[op];
      llvm::ArrayRef<CellId> operands = graph.getOperands(op);
      if (isUpdate(entry))
        updated.push_back(operands.front());
      if (entry.opClass != OpClass::Elementwise && entry.opClass != OpClass::Identity) {
        hasOthers |= !operands.empty() && !isExpanding(graph, op);
        continue;
      }
      for (CellId operand : operands)
        if (graph.getShape(operand) == graph.getShape(cells[i]) && std::exchange(seenBy[operand], numWalks) != numWalks)
          cells.push_back(operand);
    }
  llvm::erase_if(cells, [&](CellId cell) { return graph.cells[cell].kind != CellKind::Argument; });
  llvm::sort(cells);
  cells.erase(llvm::unique(cells), cells.end());
  return cells;
}

StateSources StateFlow::findSources(CellId result) {
  StateSources found;
  llvm::SmallVector<CellId> updated;
  for (CellId cell : walk({result}, updated, found.hasOthers))
    (haveSameType(graph, cell, result) ? found.arguments : found.casts).push_back(cell);
  // What is updated may itself be the result of an update.
  llvm::SmallVector<CellId> todo = updated;
  while (!todo.empty()) {
    llvm::SmallVector<CellId> next;
    bool isIgnored = false;
    for (CellId cell : walk(std::exchange(todo, {}), next, isIgnored))
      if (haveSameType(graph, cell, result) && !llvm::is_contained(found.written, cell))
        found.written.push_back(cell);
    for (CellId cell : next)
      if (!llvm::is_contained(updated, cell)) {
        updated.push_back(cell);
        todo.push_back(cell);
      }
  }
  llvm::sort(found.written);
  return found;
}

} // namespace partita::program
