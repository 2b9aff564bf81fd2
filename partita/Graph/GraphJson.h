//===- GraphJson.h - the flat program as a file ---------------------------===//
//
// The format is docs/graph.md. What is written reads back equal.
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

/// The verified graph that `text` holds; `file` is used in errors only.
Result<Graph> readGraph(llvm::StringRef text, llvm::StringRef file);

} // namespace partita::graph

#endif
