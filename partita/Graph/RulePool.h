//===- RulePool.h - stores equal rules and shapes once --------------------===//
//
// Layers repeat, and so do the rules of their ops and the shapes of their cells.
// While a graph is built, ops with equal rules share one range of Graph::factors
// and Graph::dimFactors, and cells with equal shapes share one of Graph::sizes.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_GRAPH_RULEPOOL_H
#define PARTITA_GRAPH_RULEPOOL_H

#include "partita/Graph/Graph.h"
#include "partita/Graph/Rooms.h"

#include <map>
#include <unordered_map>

namespace partita::graph {

/// A rule in a graph: ranges of Graph::factors and Graph::dimFactors.
struct RuleRange {
  uint32_t firstFactor = 0, numFactors = 0;
  uint32_t firstDimFactor = 0, numDimFactors = 0;

  void setOn(Op &op) const;
};

/// Stores equal shapes once in Graph::sizes.
class ShapePool {
public:
  explicit ShapePool(Graph &graph) : graph(graph) {}

  /// The index in Graph::sizes where `shape` begins; appends it if it is new.
  uint32_t add(llvm::ArrayRef<int64_t> shape);

private:
  Graph &graph;
  std::map<std::vector<int64_t>, uint32_t> known;
};

class RulePool {
public:
  explicit RulePool(Graph &graph) : graph(graph) {}

  /// The ranges of `rule`; appends it to the graph if it is new.
  RuleRange add(const Rule &rule);

private:
  bool isAt(const RuleRange &range, llvm::ArrayRef<Factor> factors, llvm::ArrayRef<DimFactor> dims) const;

  Graph &graph;
  std::unordered_multimap<size_t, RuleRange> known;
};

/// The rule of an op of the graph.
Rule buildRule(const Graph &graph, OpId op);

} // namespace partita::graph

#endif
