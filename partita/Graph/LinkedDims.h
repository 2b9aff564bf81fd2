//===- LinkedDims.h - dims that belong together ---------------------------===//
//
// Two dims are in one class if a chain of rules maps them to the same factors:
// the batch of an input and that of every activation. Where a dim has several
// factors, as behind a reshape, only the major one counts. Dims of size one are
// in no class, so a broadcast joins nothing; nor does a slice, a pad or a
// concatenation of the dim: its rows are other ones. Only those at the border of
// the program (BorderForms.h) join dims.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_LINKEDDIMS_H
#define PARTITA_GRAPH_LINKEDDIMS_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

namespace partita::graph {

using DimClass = uint32_t;

class LinkedDims {
public:
  explicit LinkedDims(const Graph &graph);

  /// One more than the largest class.
  size_t size() const { return parents.size(); }
  DimClass get(CellId cell, uint32_t dim) const { return parents[firstOf[cell] + dim]; }
  /// Whether a dim of the cell, of more than one element, is in a class of the set.
  bool anyIn(CellId cell, llvm::ArrayRef<uint8_t> set) const;
  /// Adds the classes of all dims of the cell.
  void add(CellId cell, std::vector<uint8_t> &set) const;

private:
  uint32_t findRoot(uint32_t dim);
  void joinForms(CellId a, CellId b);

  const Graph &graph;
  /// For each cell, the number of its first dim.
  IdVector<CellId, uint32_t> firstOf;
  /// For each dim, the representative of its class.
  std::vector<uint32_t> parents;
};

} // namespace partita::graph

#endif
