//===- SeparatedTies.h - ties that given shardings undo -------------------===//
//
// The two cells of a tie have one sharding. Where the shardings that they are
// given contradict each other, each keeps its own: the state moves in each step.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_SEPARATEDTIES_H
#define PARTITA_GRAPH_SEPARATEDTIES_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

namespace partita::graph {

/// For each tie of the graph, whether its argument and its result have different shapes, or are given shardings that
/// no single value can have (areCompatible).
std::vector<uint8_t> findSeparatedTies(const Graph &graph);

} // namespace partita::graph

#endif
