//===- BorderPads.h - ops that pad arguments and cut results --------------===//
//
// A program that computes on longer dims than its caller knows pads its arguments
// first and cuts its results last (room Padding). These ops give elements no other
// place: a parameter is still the parameter, and its next value its next value.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_BORDERPADS_H
#define PARTITA_GRAPH_BORDERPADS_H

#include "partita/Graph/Graph.h"

namespace partita::graph {

/// Whether the op has the form of a pad: a tensor and a scalar in, the tensor with longer dims out.
bool isPad(const Graph &graph, OpId op);

class BorderPads {
public:
  explicit BorderPads(const Graph &graph);

  /// Whether the op pads an argument, or is a slice that is returned. Operand 0 and the result have the same rank.
  bool contains(OpId op) const { return isAtBorder[op]; }

private:
  IdVector<OpId, uint8_t> isAtBorder;
};

} // namespace partita::graph

#endif
