//===- Refinement.cpp - improves a good list of moves ---------------------===//

#include "partita/Search/Refinement.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

namespace {

class Sweeps {
public:
  Sweeps(StateEvaluator &evaluator, Found start, SweepKind kind, double leastGain)
      : evaluator(evaluator), space(evaluator.getSpace()), kind(kind), leastGain(leastGain), found(std::move(start)) {}

  Found run();

private:
  /// Takes the best of `lists` if it is better than the current one.
  bool take(llvm::ArrayRef<Moves> lists);
  bool drop();
  bool mirror();
  /// Moves each move to the front and behind its neighbor; or anywhere.
  bool reorder(bool anywhere);
  bool append(llvm::ArrayRef<MoveId> moves) { return insertAt(found.moves.size(), moves); }
  bool prepend(llvm::ArrayRef<MoveId> moves);
  bool insertAt(size_t position, llvm::ArrayRef<MoveId> moves);
  bool exchange();
  /// Any move in the position of another.
  bool replace();
  /// The kinds of neighbors in order, up to the first that is better.
  bool sweep();

  /// The moves that the space proposes after the list, one of those that do the same alone.
  std::vector<MoveId> listProposed(const Moves &moves) const;
  std::vector<MoveId> listRange(uint32_t first, uint32_t count) const;

  StateEvaluator &evaluator;
  const Space &space;
  SweepKind kind;
  double leastGain;
  Found found;
};

} // namespace

/// Of equal ratings, the shorter list is better.
static bool isBetter(const Evaluated &a, size_t aSize, const Found &b) {
  return std::pair(a.rating, aSize) < std::pair(b.evaluated.rating, b.moves.size());
}

bool Sweeps::take(llvm::ArrayRef<Moves> lists) {
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::optional<size_t> best;
  for (size_t i = 0; i < lists.size(); ++i)
    if (isBetter(answers[i], lists[i].size(), best ? Found{lists[*best], answers[*best]} : found))
      best = i;
  if (!best ||
      (lists[*best].size() > found.moves.size() && !isGain(found.evaluated.rating, answers[*best].rating, leastGain)))
    return false;
  found = {lists[*best], answers[*best]};
  return true;
}

bool Sweeps::drop() {
  std::vector<Moves> lists;
  Moves effective = dropIneffective(found.moves, found.evaluated);
  if (effective.size() < found.moves.size())
    lists.push_back(effective);
  for (size_t i = 0; i < found.moves.size(); ++i) {
    lists.push_back(found.moves);
    lists.back().erase(lists.back().begin() + i);
  }
  return take(lists);
}

bool Sweeps::mirror() {
  std::vector<Moves> lists = space.getMirrors(found.moves);
  llvm::append_range(lists, space.getCopies(found.moves));
  return take(lists);
}

bool Sweeps::reorder(bool anywhere) {
  std::vector<Moves> lists;
  for (size_t from = 0; from < found.moves.size(); ++from)
    for (size_t to = 0; to < found.moves.size(); ++to) {
      if (from == to || from == to + 1 || (!anywhere && to != 0 && to != from + 1))
        continue;
      Moves list = found.moves;
      MoveId move = list[from];
      list.erase(list.begin() + from);
      list.insert(list.begin() + to, move);
      lists.push_back(std::move(list));
    }
  return take(lists);
}

//===----------------------------------------------------------------------===//
// Neighbors
//===----------------------------------------------------------------------===//

std::vector<MoveId> Sweeps::listProposed(const Moves &moves) const {
  constexpr size_t width = 32;
  std::vector<MoveId> list = evaluator.propose(moves);
  llvm::erase_if(list, [&](MoveId move) { return space.getRepresentative(move) != move; });
  list.resize(std::min(list.size(), width));
  return list;
}

std::vector<MoveId> Sweeps::listRange(uint32_t first, uint32_t count) const {
  std::vector<MoveId> list;
  list.reserve(count);
  for (uint32_t i = 0; i < count; ++i)
    list.push_back(MoveId(first + i));
  return list;
}

bool Sweeps::insertAt(size_t position, llvm::ArrayRef<MoveId> moves) {
  if (found.moves.size() >= maxMoves)
    return false;
  std::vector<Moves> lists;
  for (MoveId move : moves) {
    if (llvm::is_contained(found.moves, move))
      continue;
    lists.push_back(found.moves);
    lists.back().insert(lists.back().begin() + position, move);
  }
  return take(lists);
}

bool Sweeps::prepend(llvm::ArrayRef<MoveId> moves) {
  return !found.moves.empty() && !evaluator.isOver() && insertAt(0, moves);
}

/// Puts the new move at the end, so that all lists have the other moves in common. Replaces the last moves first.
bool Sweeps::exchange() {
  for (size_t i = found.moves.size(); i-- > 0 && !evaluator.isOver();) {
    Moves rest = found.moves;
    rest.erase(rest.begin() + i);
    std::vector<MoveId> others = space.getAlternatives(found.moves[i]);
    if (kind != SweepKind::Parts)
      llvm::append_range(others, listProposed(rest));
    std::vector<Moves> lists;
    for (MoveId move : others) {
      if (llvm::is_contained(found.moves, move))
        continue;
      lists.push_back(rest);
      lists.back().push_back(move);
    }
    if (take(lists))
      return true;
  }
  return false;
}

bool Sweeps::replace() {
  for (size_t i = found.moves.size(); i-- > 0 && !evaluator.isOver();) {
    std::vector<Moves> lists;
    for (MoveId move : listRange(0, space.getNumMoves())) {
      if (llvm::is_contained(found.moves, move))
        continue;
      lists.push_back(found.moves);
      lists.back()[i] = move;
    }
    if (take(lists))
      return true;
  }
  return false;
}

bool Sweeps::sweep() {
  std::vector<MoveId> all = listRange(0, space.getNumMoves()), distinct = all;
  llvm::erase_if(distinct, [&](MoveId move) { return space.getRepresentative(move) != move; });
  if (kind == SweepKind::Parts)
    return drop() || exchange() || append(distinct);
  if (drop() || mirror() || prepend(space.getEarlyMoves()) || exchange() || append(distinct) ||
      reorder(/*anywhere=*/false) || (!evaluator.isOver() && prepend(listProposed(found.moves))) ||
      (!evaluator.isOver() && prepend(listProposed(Moves()))))
    return true;
  if (kind == SweepKind::Quick)
    return false;
  std::vector<MoveId> local = listRange(space.getNumMoves(), space.getNumLocalMoves());
  return append(local) || reorder(/*anywhere=*/true) || append(all) || prepend(all) || prepend(local) || replace();
}

Found Sweeps::run() {
  while (!evaluator.isOver() && sweep()) {
  }
  return found;
}

Found refineBySweeps(StateEvaluator &evaluator, Found start, SweepKind kind, double leastGain) {
  return Sweeps(evaluator, std::move(start), kind, leastGain).run();
}

/// Drops some moves: adjacent ones, or any.
static Moves dropSome(const Moves &moves, uint32_t maxDropped, uint64_t &random) {
  Moves list = moves;
  random = mixHash(random);
  size_t count = std::min<size_t>(list.size(), 1 + random % maxDropped);
  random = mixHash(random);
  bool isRun = random % 2 == 0;
  for (size_t i = 0; i < count; ++i) {
    if (i == 0 || !isRun)
      random = mixHash(random);
    list.erase(list.begin() + std::min<size_t>(random % moves.size(), list.size() - 1));
  }
  return list;
}

Found refineInParts(StateEvaluator &evaluator, Found start) {
  Moves parts = evaluator.expand(start.moves);
  if (evaluator.isOver() || parts == start.moves)
    return start;
  Evaluated evaluated = evaluator.evaluate(parts);
  parts = dropIneffective(parts, evaluated);
  Found found = refineBySweeps(evaluator, {parts, evaluator.evaluate(parts)}, SweepKind::Parts);
  return isBetter(found.evaluated, found.moves.size(), start) ? found : start;
}

Found refine(StateEvaluator &evaluator, Found start, const RefinementOptions &options) {
  Found found = refineBySweeps(evaluator, std::move(start), SweepKind::Thorough);
  uint64_t random = mixHash(options.seed);
  std::vector<PartialPlan> partialPlans = evaluator.getSpace().getPartialPlans(found.moves);
  for (uint32_t failed = 0; failed < options.maxRepairs && !evaluator.isOver() && !found.moves.empty();) {
    // Without one axis first, then without some moves at random.
    Found repaired =
        failed < partialPlans.size()
            ? completeOtherwise(evaluator, partialPlans[failed], options.greedy)
            : completeGreedily(evaluator, dropSome(found.moves, options.maxDropped, random), options.greedy);
    if (!isBetter(repaired.evaluated, repaired.moves.size(), found)) {
      ++failed;
      continue;
    }
    found = refineBySweeps(evaluator, std::move(repaired), SweepKind::Quick);
    partialPlans = evaluator.getSpace().getPartialPlans(found.moves);
    failed = 0;
  }
  return found;
}

} // namespace partita::search
