//===- StateFlow.cpp - which arguments a result is the next value of ------===//

#include "partita/Program/StateFlow.h"

namespace partita::program {

bool haveSameType(const Graph &graph, CellId a, CellId b) {
  return graph.getShape(a) == graph.getShape(b) && graph.cells[a].element == graph.cells[b].element;
}

static bool isUpdate(const Op &op) { return op.kind == OpKind::DynamicUpdateSlice || op.kind == OpKind::Scatter; }

/// If the op shifts rows of a cell of its own type, or joins them with new ones, as buffers that are shifted do, that
/// cell.
static CellId findShifted(const Graph &graph, const Neighbors &neighbors, OpId op) {
  if (isShift(graph, op))
    return graph.getOperands(op).front();
  if (graph.getName(graph.ops[op].opName) != "stablehlo.concatenate")
    return CellId();
  for (CellId operand : graph.getOperands(op))
    for (OpId slice : neighbors.definers[operand])
      if (graph.ops[slice].kind == OpKind::Slice &&
          haveSameType(graph, graph.getOperands(slice).front(), graph.getResults(op).front()))
        return graph.getOperands(slice).front();
  return CellId();
}

/// Whether the op only gives its operand another shape. JAX adds dims of size one by broadcasts.
static bool isReshaped(const Graph &graph, OpId op) {
  return keepsDimOrder(graph.ops[op].kind) &&
         graph.getBytes(graph.getOperands(op).front()) == graph.getBytes(graph.getResults(op).front());
}

bool isExchangeOfRows(const Graph &graph, OpId op) {
  return graph.ops[op].kind == OpKind::Gather &&
         haveSameType(graph, graph.getOperands(op).front(), graph.getResults(op).front());
}

/// Whether the op makes a large value of a small one, as a broadcast does.
static bool isExpanding(const Graph &graph, OpId op) {
  auto getBytes = [&](CellId cell) { return graph.getBytes(cell); };
  return graph.ops[op].opClass == OpClass::Movement && llvm::none_of(graph.getOperands(op), [&](CellId cell) {
           return getBytes(cell) >= getBytes(graph.getResults(op).front());
         });
}

llvm::SmallVector<StateFlow::Reached> StateFlow::walk(llvm::ArrayRef<CellId> starts, Ends &ends) {
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
      if (isUpdate(entry)) {
        ends.updated.push_back(operands.front());
        if (graph.cells[operands.front()].kind == CellKind::Carried && entry.kind == OpKind::DynamicUpdateSlice)
          ends.stacked.push_back(operands[1]);
      }
      if (CellId shifted = findShifted(graph, neighbors, op); shifted.isValid())
        ends.updated.push_back(shifted);
      if (entry.kind == OpKind::DynamicSlice)
        ends.sliced.push_back(operands.front());
      bool isFollowed = entry.opClass == OpClass::Elementwise || entry.opClass == OpClass::Identity;
      CellId source = borderForms.getSource(op);
      if (source.isValid()) {
        operands = source;
      } else if (isExchangeOfRows(graph, op)) {
        operands = operands.take_front();
      } else if (!isFollowed && !isReshaped(graph, op)) {
        ends.hasOthers |= !operands.empty() && !isExpanding(graph, op);
        continue;
      }
      for (CellId operand : operands)
        if ((!isFollowed || graph.getShape(operand) == graph.getShape(cell)) &&
            std::exchange(seenBy[operand], numWalks) != numWalks)
          cells.push_back({operand, distance + 1});
    }
  }
  llvm::erase_if(cells, [&](const Reached &reached) { return graph.cells[reached.first].kind != CellKind::Argument; });
  return cells;
}

/// What is updated may itself be the result of an update.
void StateFlow::addWritten(llvm::SmallVector<CellId> updated, StateSources &found, CellId result) {
  constexpr size_t maxUpdates = 256;
  llvm::SmallVector<CellId> seen = updated;
  while (!updated.empty() && seen.size() < maxUpdates) {
    Ends ends;
    for (auto [cell, distance] : walk(updated, ends))
      if (haveSameType(graph, cell, result) && !llvm::is_contained(found.written, cell))
        found.written.push_back(cell);
    updated.clear();
    for (CellId cell : ends.updated)
      if (!llvm::is_contained(seen, cell)) {
        seen.push_back(cell);
        updated.push_back(cell);
      }
  }
}

/// From the pieces back to what they are slices of.
void StateFlow::addStacked(llvm::ArrayRef<CellId> stacked, StateSources &found, CellId result) {
  Ends pieces, parts, ignored;
  walk(stacked, pieces);
  walk(pieces.updated, parts);
  auto isWhole = [&](CellId cell) { return graph.getShape(cell) == graph.getShape(result); };
  llvm::erase_if(pieces.sliced, [&](CellId cell) { return !isWhole(cell); });
  llvm::erase_if(parts.sliced, [&](CellId cell) { return !isWhole(cell); });
  for (auto [cell, distance] : walk(pieces.sliced, ignored))
    if (haveSameType(graph, cell, result) && !llvm::is_contained(found.arguments, cell)) {
      found.arguments.push_back(cell);
      found.distances.push_back(UINT32_MAX);
    }
  for (auto [cell, distance] : walk(parts.sliced, ignored))
    if (haveSameType(graph, cell, result) && !llvm::is_contained(found.written, cell))
      found.written.push_back(cell);
}

StateSources StateFlow::findSources(CellId result) {
  StateSources found;
  Ends ends;
  for (auto [cell, distance] : walk(result, ends))
    if (haveSameType(graph, cell, result)) {
      found.arguments.push_back(cell);
      found.distances.push_back(distance);
    } else if (graph.getShape(cell) == graph.getShape(result)) {
      found.casts.push_back(cell);
    }
  found.hasOthers = ends.hasOthers;
  addWritten(ends.updated, found, result);
  if (!ends.stacked.empty())
    addStacked(ends.stacked, found, result);
  return found;
}

} // namespace partita::program
