//===- Views.h - what a value becomes without being computed with ---------===//
//
// A parameter that a loop over layers steps through is never used as it is: each
// iteration slices it, drops a dim, casts it, and computes with that. What is
// gathered is then a slice of it, and what is scattered is its gradient. These
// functions find both, so that a report on the parameter can show them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_VIEWS_H
#define PARTITA_ANALYSIS_VIEWS_H

#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Topology.h"

namespace partita::analysis {

/// A value that holds the elements of another, or some of them.
struct ValueView {
  CellId cell;
  /// Whether it holds only a part of them.
  bool isSlice = false;
};

/// The views of a value through slices, casts, movements of elements and loops, in program order; without the value.
std::vector<ValueView> findViews(const Topology &topology, CellId cell);

/// For an argument that has a next state: the values of its size from the gradient to the next state, in program order.
/// Empty for other values.
std::vector<CellId> findGradientPath(const Topology &topology, CellId argument);

} // namespace partita::analysis

#endif
