//===- Greedy.cpp - completes a list of moves greedily --------------------===//

#include "partita/Search/Greedy.h"

#include "llvm/ADT/STLExtras.h"

#include <unordered_set>

namespace partita::search {

namespace {

/// How good a state is: the objective, then the rating. Both less is better.
struct Rank {
  double objective = 0;
  Rating rating;
  auto operator<=>(const Rank &) const = default;
};

class GreedyCompletion {
public:
  GreedyCompletion(StateEvaluator &evaluator, llvm::function_ref<Rank(const Rating &)> rank, GreedyOptions options)
      : evaluator(evaluator), rank(rank), options(std::move(options)),
        isUseless(evaluator.getSpace().getNumMoves() + evaluator.getSpace().getNumLocalMoves(), 0) {
    for (MoveId move : this->options.excluded)
      isUseless[move.get()] = 1;
  }

  Found run(Moves start);

private:
  /// The moves of a pass from the current list.
  std::vector<MoveId> listCandidates();
  /// Tries each of `moves` at the end and appends the best, if it helps; returns whether. Leaves their ranking in
  /// `ranked`.
  bool pass(llvm::ArrayRef<MoveId> moves);
  /// False for a move that another represents, and for one that had no effect before: it will hardly have one after
  /// more moves.
  bool mayHelp(MoveId move) const {
    return evaluator.getSpace().getRepresentative(move) == move && !isUseless[move.get()];
  }
  /// Whether `to` is better by enough.
  bool isGain(const Rank &from, const Rank &to) const;

  StateEvaluator &evaluator;
  llvm::function_ref<Rank(const Rating &)> rank;
  GreedyOptions options;
  Found found;
  /// The moves of the last pass, the best first; one for each state reached.
  std::vector<MoveId> ranked;
  std::vector<uint8_t> isUseless;
};

} // namespace

bool isGain(const Rating &from, const Rating &to, double least) {
  for (size_t i = 0; i < Rating::size; ++i)
    if (from.parts[i] != to.parts[i])
      return double(to.parts[i]) < double(from.parts[i]) * (1 - least);
  return false;
}

bool GreedyCompletion::isGain(const Rank &from, const Rank &to) const {
  if (from.objective != to.objective)
    return to.objective < from.objective - options.leastGain;
  return search::isGain(from.rating, to.rating, options.leastGain);
}

bool GreedyCompletion::pass(llvm::ArrayRef<MoveId> moves) {
  std::vector<Moves> lists;
  std::vector<MoveId> tried;
  for (MoveId move : moves) {
    if (llvm::is_contained(found.moves, move))
      continue;
    lists.push_back(found.moves);
    lists.back().push_back(move);
    tried.push_back(move);
  }
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::vector<std::pair<Rank, size_t>> order;
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].state == found.evaluated.state)
      isUseless[tried[i].get()] = 1;
    else if (answers[i].rating != Rating::worst())
      order.emplace_back(rank(answers[i].rating), i);
  }
  llvm::sort(order);
  ranked.clear();
  std::unordered_set<uint64_t> states;
  for (const auto &[value, i] : order)
    if (states.insert(answers[i].state).second)
      ranked.push_back(tried[i]);
  if (order.empty() || !isGain(rank(found.evaluated.rating), order.front().first))
    return false;
  size_t best = order.front().second;
  found = {lists[best], answers[best]};
  return true;
}

std::vector<MoveId> GreedyCompletion::listCandidates() {
  uint32_t numMoves = evaluator.getSpace().getNumMoves();
  std::vector<MoveId> list;
  if (options.width == 0 || options.width * 2 >= numMoves) {
    for (MoveId move : idRange<MoveId>(numMoves))
      if (mayHelp(move))
        list.push_back(move);
    return list;
  }
  for (MoveId move : evaluator.propose(found.moves))
    if (list.size() < options.width && mayHelp(move) && !llvm::is_contained(found.moves, move))
      list.push_back(move);
  std::vector<std::pair<Rank, MoveId>> alone;
  for (MoveId move : idRange<MoveId>(numMoves))
    if (mayHelp(move))
      if (std::optional<Evaluated> known = evaluator.findKnown(Moves{move}))
        alone.emplace_back(rank(known->rating), move);
  llvm::sort(alone);
  size_t size = list.size() + options.width;
  for (const auto &[value, move] : alone)
    if (list.size() < size && !llvm::is_contained(list, move))
      list.push_back(move);
  return list;
}

Found GreedyCompletion::run(Moves start) {
  found.moves = std::move(start);
  found.evaluated = evaluator.evaluate(found.moves);
  auto mayGrow = [&] { return !evaluator.isOver() && found.moves.size() < options.maxLength; };
  while (mayGrow() && pass(listCandidates())) {
    std::vector<MoveId> shortlist(ranked.begin(), ranked.begin() + std::min<size_t>(ranked.size(), options.shortlist));
    while (mayGrow() && pass(shortlist)) {
    }
  }
  return found;
}

Found completeGreedily(StateEvaluator &evaluator, Moves start, Objective objective, GreedyOptions options) {
  auto rank = [&](const Rating &rating) { return Rank{objective(rating), rating}; };
  return GreedyCompletion(evaluator, rank, std::move(options)).run(std::move(start));
}

Found completeGreedily(StateEvaluator &evaluator, Moves start, GreedyOptions options) {
  auto rank = [](const Rating &rating) { return Rank{0, rating}; };
  return GreedyCompletion(evaluator, rank, std::move(options)).run(std::move(start));
}

/// Completes by the last goal alone first. Otherwise a partial plan that is short of memory would be filled with the
/// moves that save most memory.
Found completeOtherwise(StateEvaluator &evaluator, const PartialPlan &rest, GreedyOptions options) {
  options.excluded = rest.excluded;
  auto objective = [&](const Rating &rating) { return evaluator.getSpace().getBlend(rating, 0); };
  Found found = completeGreedily(evaluator, rest.moves, objective, options);
  return evaluator.isOver() ? found : completeGreedily(evaluator, found.moves, std::move(options));
}

} // namespace partita::search
