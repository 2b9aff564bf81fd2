//===- RandomGraph.h - graphs of random ops, for tests --------------------===//
//
// Small programs with everything that propagation has to be right about: any
// rule (compound dims, reduced and unsplittable factors, dims without factors,
// one cell in several operands, several results), loops, branches, ties, zeros.
// They need not compute anything sensible. The same seed gives the same graph.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TESTING_RANDOMGRAPH_H
#define PARTITA_TESTING_RANDOMGRAPH_H

#include "partita/Graph/Graph.h"
#include "partita/Support/Hash.h"
#include "partita/Testing/Rooms.h"

namespace partita::fixtures {

/// A sequence that depends on the seed alone, on every platform.
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

/// A small program of random ops. `withStacks`: loops may stack slices, too. `numTwins` more arguments have the first
/// one's shape, and as many more results are values of that shape: what donation has to choose among.
Graph buildRandomGraph(uint64_t seed, bool withStacks = false, uint32_t numTwins = 0);

/// The same graph under other numbers: `cells`, `ops` and `factors` map the old to the new ones.
struct Renumbered {
  Graph graph;
  IdVector<CellId, CellId> cells;
  IdVector<OpId, OpId> ops;
  IdVector<OpId, std::vector<uint8_t>> factors;
};

/// Other numbers for cells, ops and factors; definitions stand before uses as they did.
Renumbered renumber(const Graph &graph, RandomNumbers &random);

} // namespace partita::fixtures

#endif
