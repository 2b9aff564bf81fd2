//===- SearchBudget.cpp - how long a search may be ------------------------===//

#include "partita/Search/SearchBudget.h"

#include <algorithm>
#include <thread>

namespace partita::search {

/// More distinct moves need a larger budget. Eight states for each move are what llama 8B needs to reach its best plan;
/// with many moves, each can be combined with more others. A state of a small program is cheap, and what a short search
/// of it finds depends on a handful of proposals: it gets as many states as take the time of llama 8B as a loop over
/// layers. A state of a large program takes long, and most of what there is to gain is found by the first hundreds:
/// beyond 4,000 ops fewer.
static int64_t chooseBudget(const Space &space) {
  constexpr int64_t statesPerMove = 8, many = 104, statesBeyond = 24, leastOfLarge = 400;
  constexpr int64_t smallProgram = 2000, largeProgram = 4000, mostStates = 6000;
  // States times ops, and the states that come of it.
  constexpr int64_t leastWork = 1'700'000, leastOfSmall = 900, mostOfSmall = 2400;
  auto numOps = static_cast<int64_t>(space.getNumOps());
  double scale = double(largeProgram) / double(std::max(numOps, largeProgram));
  int64_t most = std::max(leastOfLarge, int64_t(double(mostStates) * scale * scale));
  int64_t least =
      numOps < smallProgram ? std::clamp(leastWork / std::max<int64_t>(1, numOps), leastOfSmall, mostOfSmall) : 600;
  int64_t numDistinct = 0;
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    numDistinct += space.getRepresentative(move) == move;
  int64_t numBeyond = std::max<int64_t>(0, numDistinct - many);
  return std::clamp(statesPerMove * (numDistinct - numBeyond) + statesBeyond * numBeyond, std::min(least, most), most);
}

int64_t chooseBudget(const SearchOptions &options, const Space &space) {
  return options.budget > 0 ? options.budget : chooseBudget(space);
}

/// Batches have work for a few threads only, and each thread keeps its own prices and assignment in memory.
int64_t chooseThreads(const SearchOptions &options) {
  constexpr int64_t most = 8;
  return options.threads > 0 ? options.threads : std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, most);
}

} // namespace partita::search
