//===- Baselines.cpp - simple searches to compare tree search with --------===//

#include "partita/Search/Baselines.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <unordered_set>

namespace partita::search {

/// Every list that is one move longer.
static std::vector<Moves> extend(llvm::ArrayRef<Moves> lists, uint32_t numMoves) {
  std::vector<Moves> longer;
  for (const Moves &list : lists)
    for (MoveId move : idRange<MoveId>(numMoves)) {
      if (llvm::is_contained(list, move))
        continue;
      longer.push_back(list);
      longer.back().push_back(move);
    }
  return longer;
}

bool searchExhaustively(StateEvaluator &evaluator, uint32_t maxLength) {
  std::unordered_set<uint64_t> seen{evaluator.evaluate(Moves()).state};
  std::vector<Moves> level{Moves()};
  for (uint32_t length = 0; length < maxLength && !level.empty(); ++length) {
    std::vector<Moves> longer =
        extend(level, evaluator.getSpace().getNumMoves() + evaluator.getSpace().getNumLocalMoves());
    std::vector<Evaluated> answers = evaluator.evaluate(longer);
    if (evaluator.isOver())
      return false;
    level.clear();
    for (size_t i = 0; i < longer.size(); ++i)
      if (answers[i].isEffective(longer[i].size() - 1) && seen.insert(answers[i].state).second)
        level.push_back(std::move(longer[i]));
  }
  return true;
}

void searchByBeam(StateEvaluator &evaluator, uint32_t width) {
  evaluator.evaluate(Moves());
  std::unordered_set<uint64_t> seen;
  std::vector<Moves> beam{Moves()};
  Rating last = Rating::worst();
  for (size_t length = 0; length < maxMoves && !evaluator.isOver() && !beam.empty(); ++length) {
    std::vector<Moves> longer = extend(beam, evaluator.getSpace().getNumMoves());
    std::vector<Evaluated> answers = evaluator.evaluate(longer);
    std::vector<std::pair<Rating, size_t>> order;
    for (size_t i = 0; i < longer.size(); ++i)
      if (answers[i].rating != Rating::worst() && seen.insert(answers[i].state).second)
        order.emplace_back(answers[i].rating, i);
    llvm::sort(order);
    if (order.size() > width)
      order.resize(width);
    beam.clear();
    for (const auto &[rating, i] : order)
      beam.push_back(std::move(longer[i]));
    // Stop after two levels without an improvement.
    if (length % 2 == 1) {
      Rating now = evaluator.getBest()->evaluated.rating;
      if (!(now < last))
        return;
      last = now;
    }
  }
}

void searchAtRandom(StateEvaluator &evaluator, uint64_t seed, uint32_t maxLength) {
  evaluator.evaluate(Moves());
  uint32_t numMoves = evaluator.getSpace().getNumMoves();
  uint64_t state = mixHash(seed);
  // In a small space lists repeat, which costs no budget: stop after many idle rounds.
  for (uint32_t numIdle = 0; numMoves > 0 && !evaluator.isOver() && numIdle < 1000;) {
    std::vector<Moves> lists;
    Moves list;
    state = mixHash(state);
    for (uint32_t length = 1 + state % maxLength; length > 0; --length) {
      state = mixHash(state);
      list.push_back(MoveId(static_cast<uint32_t>(state % numMoves)));
      lists.push_back(list);
    }
    int64_t before = evaluator.getNumEvaluations();
    evaluator.evaluate(lists);
    numIdle = evaluator.getNumEvaluations() == before ? numIdle + 1 : 0;
  }
}

} // namespace partita::search
