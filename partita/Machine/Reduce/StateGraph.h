//===- StateGraph.h - the states that steps lead to -----------------------===//
//
// The sizes of factors are different primes here: then a step whose condition
// holds, and an order of chunks that is right, are so for all sizes. With equal
// ones, chunks that changed places may seem to be where they were.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_MACHINE_REDUCE_STATEGRAPH_H
#define PARTITA_MACHINE_REDUCE_STATEGRAPH_H

#include "partita/Machine/Reduce/Program.h"

#include <limits>

namespace partita::machine {

class StateGraph {
public:
  struct Edge {
    ReductionStep step;
    size_t target = 0;
  };
  struct Node {
    std::vector<Edge> edges;
    /// The factors along which devices hold different chunks, as bits.
    uint32_t split = 0;
    /// Steps to the nearest goal.
    size_t distance = std::numeric_limits<size_t>::max();
    bool isGoal = false;
    /// Of a goal: but for the order of chunks.
    bool isReordered = false;
  };

  /// All states that `goal` may go through in at most `mostSteps` steps.
  StateGraph(StepKind goal, size_t numFactors, size_t mostSteps);

  /// The start is the first.
  std::vector<Node> nodes;
};

} // namespace partita::machine

#endif
