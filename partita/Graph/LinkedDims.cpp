//===- LinkedDims.cpp - dims that belong together -------------------------===//

#include "partita/Graph/LinkedDims.h"

#include "partita/Graph/BorderForms.h"

namespace partita::graph {

uint32_t LinkedDims::findRoot(uint32_t dim) {
  while (parents[dim] != dim)
    dim = parents[dim] = parents[parents[dim]];
  return dim;
}

/// Joins the dims of two forms of a value (BorderForms.h).
void LinkedDims::joinForms(CellId a, CellId b) {
  for (uint32_t dim = 0; dim < graph.cells[a].rank; ++dim)
    if (graph.getShape(a)[dim] > 1 && graph.getShape(b)[dim] > 1)
      parents[findRoot(firstOf[a] + dim)] = findRoot(firstOf[b] + dim);
}

LinkedDims::LinkedDims(const Graph &graph) : graph(graph), firstOf(graph.cells.size()) {
  uint32_t numDims = 0;
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    firstOf[cell] = numDims;
    numDims += graph.cells[cell].rank;
  }
  for (uint32_t dim = 0; dim < numDims; ++dim)
    parents.push_back(dim);
  constexpr uint32_t none = UINT32_MAX;
  BorderForms borderForms(graph);
  llvm::SmallVector<uint32_t> dimOfFactor;
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (CellId source = borderForms.getSource(op); source.isValid())
      joinForms(source, graph.getResults(op)[0]);
    dimOfFactor.assign(graph.ops[op].numFactors, none);
    llvm::ArrayRef<CellId> operands = graph.getOperands(op), results = graph.getResults(op);
    for (const DimFactor &entry : graph.getDimFactors(op)) {
      const Factor &factor = graph.getFactors(op)[entry.factor];
      if (entry.position > 0 || factor.size == 1 || factor.shift)
        continue;
      CellId cell = entry.value < operands.size() ? operands[entry.value] : results[entry.value - operands.size()];
      uint32_t root = findRoot(firstOf[cell] + entry.dim);
      if (uint32_t &known = dimOfFactor[entry.factor]; known == none)
        known = root;
      else
        parents[root] = findRoot(known);
    }
  }
  for (uint32_t dim = 0; dim < numDims; ++dim)
    parents[dim] = findRoot(dim);
}

bool LinkedDims::anyIn(CellId cell, llvm::ArrayRef<uint8_t> set) const {
  for (auto [dim, size] : llvm::enumerate(graph.getShape(cell)))
    if (size > 1 && set[get(cell, dim)])
      return true;
  return false;
}

void LinkedDims::add(CellId cell, std::vector<uint8_t> &set) const {
  set.resize(size());
  for (auto [dim, extent] : llvm::enumerate(graph.getShape(cell)))
    if (extent > 1)
      set[get(cell, dim)] = 1;
}

} // namespace partita::graph
