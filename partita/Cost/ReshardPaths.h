//===- ReshardPaths.h - paths of reshards, each searched once -------------===//
//
// Tensors of many shapes are resharded alike. The path of a reshard
// (ReshardSearch.cpp) depends on
//
//   the sizes of the axes that take part, and which of them the target wants
//   source and target
//   of each dim, the greatest common divisor with P, the product of the axes
//   the bits, and the bits that a known plan sends
//
// because a step asks only whether parts, which divide P, divide a dim. If P^2
// divides the bits, then no piece and no traffic is ever rounded, all of them are
// proportional to the bits, and the bits need not be in the key.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDPATHS_H
#define PARTITA_COST_RESHARDPATHS_H

#include "partita/Cost/ReshardProblem.h"
#include "partita/Cost/Rooms.h"

#include <map>
#include <vector>

namespace partita::cost {

/// Steps in order; none if the search takes too long. Axes and dims are numbered as in the problem.
using ReshardPath = llvm::SmallVector<ReshardMove>;

class ReshardPaths {
public:
  /// The cheapest path that sends at most `boundBits`.
  ReshardPath find(const ReshardProblem &problem, int64_t boundBits);

private:
  using Key = std::vector<uint64_t>;

  static Key makeKey(const ReshardProblem &problem, int64_t boundBits);

  std::map<Key, ReshardPath> known;
};

} // namespace partita::cost

#endif
