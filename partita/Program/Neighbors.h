//===- Neighbors.h - the ops that define and use each cell ----------------===//

#ifndef PARTITA_PROGRAM_NEIGHBORS_H
#define PARTITA_PROGRAM_NEIGHBORS_H

#include "partita/Graph/Graph.h"
#include "partita/Program/Rooms.h"

namespace partita::program {

/// For each cell, the ops that have it as an operand (or as a result), in program order.
class OpsOfCells {
public:
  template <typename CellsOf> OpsOfCells(const Graph &graph, CellsOf cellsOf) : first(graph.cells.size() + 1, 0) {
    for (OpId op : idRange<OpId>(graph.ops.size()))
      for (CellId cell : cellsOf(op))
        ++first[cell.get()];
    uint32_t end = 0;
    for (uint32_t &count : first)
      count = end += count;
    ops.resize(end);
    // Backwards, so that each range ends up filled from its end to its begin.
    for (uint32_t index = graph.ops.size(); index-- > 0;)
      for (CellId cell : llvm::reverse(cellsOf(OpId(index))))
        ops[--first[cell.get()]] = OpId(index);
  }

  llvm::ArrayRef<OpId> operator[](CellId cell) const {
    return llvm::ArrayRef(ops).slice(first[cell.get()], first[cell.get() + 1] - first[cell.get()]);
  }

private:
  /// For each cell, the index of its first op; one more entry for the end.
  std::vector<uint32_t> first;
  std::vector<OpId> ops;
};

/// Which ops define and which use each cell. A carried value is defined by what enters the loop and by what it yields.
struct Neighbors {
  explicit Neighbors(const Graph &graph)
      : definers(graph, [&](OpId op) { return graph.getResults(op); }),
        users(graph, [&](OpId op) { return graph.getOperands(op); }) {}

  OpsOfCells definers;
  OpsOfCells users;
};

} // namespace partita::program

#endif
