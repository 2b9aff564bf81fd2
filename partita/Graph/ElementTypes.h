//===- ElementTypes.h - what the elements of a cell are -------------------===//

#ifndef PARTITA_GRAPH_ELEMENTTYPES_H
#define PARTITA_GRAPH_ELEMENTTYPES_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

namespace partita::graph {

/// Whether the elements are floats of any width (`f32`, `bf16`, `f8E4M3FN`) or complex numbers of them.
inline bool isFloat(const Graph &graph, CellId cell) {
  llvm::StringRef element = graph.getName(graph.cells[cell].element);
  return element.starts_with("f") || element.starts_with("bf") || element.starts_with("c");
}

/// Whether the elements are real numbers, floats or whole ones.
inline bool isReal(const Graph &graph, CellId cell) {
  return graph.cells[cell].elementBits > 1 && !graph.getName(graph.cells[cell].element).starts_with("c");
}

} // namespace partita::graph

#endif
