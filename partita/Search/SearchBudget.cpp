//===- SearchBudget.cpp - how long a search may be ------------------------===//

#include "partita/Search/SearchBudget.h"

#include <algorithm>
#include <numeric>
#include <thread>

namespace partita::search {

/// States follow what they cost. Small programs, such as loops over layers, get as many as take about half a second:
/// what a short search of them finds depends on a handful of proposals. More distinct moves need more states, too: each
/// can be combined with more others. A state of a large program takes long, and most of what there is to gain is found
/// by the first hundreds: beyond 2,000 ops fewer, but as many as take a few times the time that it takes to read the
/// whole program.
static int64_t chooseBudget(const Space &space, int64_t numWholeOps) {
  constexpr int64_t statesPerMove = 8, many = 104, statesBeyond = 24, leastOfLarge = 400, leastStates = 600;
  constexpr int64_t smallProgram = 2000, mostStates = 6000;
  // States times ops, and the most states that come of it.
  constexpr int64_t leastWork = 6'800'000, mostOfSmall = 5000;
  // Searched ops that a state looks at, for each op of the whole program.
  constexpr int64_t workPerOp = 100;
  int64_t numOps = std::max<int64_t>(1, static_cast<int64_t>(space.getNumOps()));
  double scale = double(smallProgram) / double(std::max(numOps, smallProgram));
  int64_t most =
      std::clamp(std::max(int64_t(double(mostStates) * scale * scale * scale), workPerOp * numWholeOps / numOps),
                 leastOfLarge, mostStates);
  int64_t least = std::clamp(int64_t(double(leastWork / numOps) * scale), leastStates, mostOfSmall);
  int64_t numDistinct = 0;
  for (MoveId move : idRange<MoveId>(space.getNumMoves()))
    numDistinct += space.getRepresentative(move) == move;
  int64_t numBeyond = std::max<int64_t>(0, numDistinct - many);
  return std::clamp(statesPerMove * (numDistinct - numBeyond) + statesBeyond * numBeyond, std::min(least, most), most);
}

int64_t chooseBudget(const SearchOptions &options, const Space &space, size_t numWholeOps) {
  return options.budget > 0 ? options.budget : chooseBudget(space, static_cast<int64_t>(numWholeOps));
}

int64_t chooseBudget(const SearchOptions &options, const PlanSpace &space) {
  const std::vector<int64_t> &copies = space.getProblem().model.getMultiplicity().ops.raw();
  size_t numWholeOps = std::accumulate(copies.begin(), copies.end(), size_t(0));
  return chooseBudget(options, space, std::max(numWholeOps, space.getNumOps()));
}

/// Batches have work for a few threads only, and each thread keeps its own prices and assignment in memory.
int64_t chooseThreads(const SearchOptions &options) {
  constexpr int64_t most = 8;
  return options.threads > 0 ? options.threads : std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, most);
}

} // namespace partita::search
