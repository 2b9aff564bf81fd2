//===- RandomGraph.h - graphs of random ops, for tests --------------------===//
//
// Small programs with everything that propagation must handle: arbitrary rules
// (compound dims, reduced and unsplittable factors, dims without factors, one
// cell in several operands, several results), loops, branches, ties, zeros. They
// compute nothing sensible. The same seed gives the same graph.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_RANDOMGRAPH_H
#define PARTITA_TESTING_RANDOMGRAPH_H

#include "partita/Graph/Graph.h"
#include "partita/Support/Hash.h"
#include "partita/Testing/Rooms.h"

namespace partita::fixtures {

/// Pseudo-random numbers that depend only on the seed, on every platform (splitmix64).
class RandomNumbers {
public:
  explicit RandomNumbers(uint64_t seed) : state(seed) {}

  uint64_t next() { return nextRandom(state); }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <typename T> const T &pick(const std::vector<T> &list) { return list[below(list.size())]; }
  template <typename T> void shuffle(T &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  uint64_t state;
};

/// A small program of random ops. `withStacks`: loops may also stack slices. `numTwins`: so many more arguments have
/// the shape of the first one, and so many more results are values of that shape, so that donation has a choice.
Graph buildRandomGraph(uint64_t seed, bool withStacks = false, uint32_t numTwins = 0);

/// The same graph with other numbers: `cells`, `ops` and `factors` map old numbers to new ones.
struct Renumbered {
  Graph graph;
  IdVector<CellId, CellId> cells;
  IdVector<OpId, OpId> ops;
  IdVector<OpId, std::vector<uint8_t>> factors;
};

/// Renumbers cells, ops and factors at random; definitions still come before uses.
Renumbered renumber(const Graph &graph, RandomNumbers &random);

} // namespace partita::fixtures

#endif
