//===- BorderForms.h - other forms of arguments and results ---------------===//
//
// A program that was rewritten brings its arguments into another form first, and
// its results back last. It pads them if it computes on longer dims than its caller
// knows (room Padding), and changes the order of rows if each device needs a piece
// of every part (room Reorder):
//
//   %a = slice %w [0:6]      %c = reshape %a : [2, 3]      %e = concatenate %c, %d : [2, 5]
//   %b = slice %w [6:10]     %d = reshape %b : [2, 2]      %f = reshape %e : [10]
//
// These ops give a dim no other meaning: a parameter is still the parameter, and its
// next value its next value.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_BORDERFORMS_H
#define PARTITA_GRAPH_BORDERFORMS_H

#include "partita/Graph/Graph.h"

#include <map>

namespace partita::graph {

/// Whether the op has the form of a pad: a tensor and a scalar in, the tensor with longer dims out.
bool isPad(const Graph &graph, OpId op);

/// Whether the op has the form of a pad that cuts off as many rows as it adds: rolls and borders are written so.
bool isShift(const Graph &graph, OpId op);

class BorderForms {
public:
  explicit BorderForms(const Graph &graph);

  /// If the op gives an argument in another form, or returns a value in another form, the argument or the value; both
  /// have the same rank as the op's only result. Otherwise invalid.
  CellId getSource(OpId op) const { return sources[op]; }
  /// Whether the op is one of those that change the form, the last one included.
  bool isPart(OpId op) const { return parts[op]; }
  /// The ops that give the cell in another order.
  llvm::ArrayRef<OpId> getOrders(CellId cell) const;

private:
  void add(OpId op, CellId source) {
    sources[op] = source;
    parts[op] = 1;
  }

  IdVector<OpId, CellId> sources;
  IdVector<OpId, uint8_t> parts;
  std::map<CellId, llvm::SmallVector<OpId, 1>> orders;
};

} // namespace partita::graph

#endif
