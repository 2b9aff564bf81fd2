//===- GraphJson.h - reads and writes the flat program as JSON ------------===//
//
// docs/graph.md describes the format. readGraph gives a graph equal to the one
// that writeGraph wrote.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_GRAPHJSON_H
#define PARTITA_GRAPH_GRAPHJSON_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

#include "llvm/Support/raw_ostream.h"

namespace partita::graph {

void writeGraph(const Graph &graph, llvm::raw_ostream &out);
std::string printGraph(const Graph &graph);

/// Parses and verifies the graph in `text`; `file` is used in errors only.
Result<Graph> readGraph(llvm::StringRef text, llvm::StringRef file);

} // namespace partita::graph

#endif
