//===- RandomKeys.h - keys of random numbers among the arguments ----------===//

#ifndef PARTITA_SCHEDULE_RANDOMKEYS_H
#define PARTITA_SCHEDULE_RANDOMKEYS_H

#include "partita/Graph/Graph.h"
#include "partita/Schedule/Rooms.h"

namespace partita::schedule {

/// Whether the cell holds one key or more: its last dim are the two or four words of a key, of 32 bits each.
inline bool isKey(const Graph &graph, CellId cell) {
  llvm::ArrayRef<int64_t> shape = graph.getShape(cell);
  return graph.getName(graph.cells[cell].element) == "ui32" && !shape.empty() &&
         (shape.back() == 2 || shape.back() == 4);
}

/// Whether the dim are the words of keys that the program is given. They belong together: to split them gains nothing.
inline bool isWordsOfKey(const Graph &graph, CellId cell, uint32_t dim) {
  return graph.cells[cell].kind == CellKind::Argument && dim + 1 == graph.cells[cell].rank && isKey(graph, cell);
}

} // namespace partita::schedule

#endif
