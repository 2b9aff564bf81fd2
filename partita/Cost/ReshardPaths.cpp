//===- ReshardPaths.cpp - paths of reshards, each searched once -----------===//

#include "partita/Cost/ReshardPaths.h"

#include <numeric>

namespace partita::cost {

ReshardPaths::Key ReshardPaths::makeKey(const ReshardProblem &problem, int64_t boundBits) {
  // Its square fits 64 bits.
  constexpr int64_t mostParts = int64_t(1) << 30;
  int64_t parts = 1;
  Key key{problem.size(), problem.dims.size()};
  for (unsigned axis = 0; axis < problem.size(); ++axis) {
    key.push_back(2 * uint64_t(problem.axisSizes[axis]) + uint64_t(problem.wanted[axis]));
    parts = std::min(mostParts, parts * std::min(mostParts, problem.axisSizes[axis]));
  }
  for (int64_t size : problem.dimSizes)
    key.push_back(static_cast<uint64_t>(parts == mostParts ? size : std::gcd(size, parts)));
  bool isProportional = parts < mostParts && problem.bits > 0 && problem.bits % (parts * parts) == 0;
  int64_t scale = isProportional ? problem.bits / (parts * parts) : 1;
  llvm::append_values(key, problem.from.getCode(), problem.to.getCode(), uint64_t(problem.bits / scale),
                      uint64_t(boundBits / scale));
  return key;
}

} // namespace partita::cost
