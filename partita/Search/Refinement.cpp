//===- Refinement.cpp - improves a good list of moves ---------------------===//

#include "partita/Search/Refinement.h"

#include "partita/Support/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita::search {

namespace {

/// A change of a list: some moves are removed, others are put behind the rest.
struct Edit {
  /// Positions, in ascending order.
  llvm::SmallVector<size_t, 2> removed;
  Moves added;
  /// Whether moves are put where they belong (Space::findPlace) rather than at the end.
  bool isPlaced = false;
};

class Sweeps {
public:
  Sweeps(StateEvaluator &evaluator, Found start, SweepKind kind, double leastGain)
      : evaluator(evaluator), space(evaluator.getSpace()), kind(kind), leastGain(leastGain), found(std::move(start)) {}

  Found run();

private:
  /// Whether the list is better than the current one; a longer one by `leastGain`.
  bool isWorth(const Moves &list, const Evaluated &evaluated) const;
  /// Takes the best of `lists` if it is better than the current one.
  bool take(llvm::ArrayRef<Moves> lists);
  /// Tries each edit, then the edits that improve the list together: the best two, the best three and so on, as far as
  /// they are about different moves. Takes the best list. Groups of parameters hardly depend on each other, so that one
  /// pass does what would take as many as there are groups.
  bool takeEdits(llvm::ArrayRef<Edit> edits);
  Moves apply(const Edit &edit) const;
  /// Whether both edits can be made: they remove different moves and add moves with different subjects.
  bool areCompatible(const Edit &a, const Edit &b) const;
  bool drop();
  bool mirror();
  /// Moves each move to the front and behind its neighbor; or anywhere.
  bool reorder(bool anywhere);
  bool append(llvm::ArrayRef<MoveId> moves);
  /// Moves that do not belong at the end, where they belong.
  bool insert(llvm::ArrayRef<MoveId> moves);
  bool prepend(llvm::ArrayRef<MoveId> moves);
  /// Puts an alternative to a move, or a move that is proposed once it is gone, at the end, so that lists have the
  /// other moves in common.
  bool exchange();
  /// An alternative to a move in its position.
  bool exchangeInPlace();
  /// A move over another axis, in its position or behind it.
  bool changeAxis();
  bool exchangeByProposed();
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

bool Sweeps::isWorth(const Moves &list, const Evaluated &evaluated) const {
  return isBetter(evaluated, list.size(), found) &&
         (list.size() <= found.moves.size() || isGain(found.evaluated.rating, evaluated.rating, leastGain));
}

bool Sweeps::take(llvm::ArrayRef<Moves> lists) {
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::optional<size_t> best;
  for (size_t i = 0; i < lists.size(); ++i)
    if (isBetter(answers[i], lists[i].size(), best ? Found{lists[*best], answers[*best]} : found))
      best = i;
  if (!best || !isWorth(lists[*best], answers[*best]))
    return false;
  found = {lists[*best], answers[*best]};
  return true;
}

Moves Sweeps::apply(const Edit &edit) const {
  Moves list;
  for (size_t i = 0; i < found.moves.size(); ++i)
    if (!llvm::is_contained(edit.removed, i))
      list.push_back(found.moves[i]);
  for (MoveId move : edit.added)
    list.insert(list.begin() + (edit.isPlaced ? space.findPlace(list, move) : list.size()), move);
  return list;
}

bool Sweeps::areCompatible(const Edit &a, const Edit &b) const {
  auto isShared = [&](size_t position) { return llvm::is_contained(b.removed, position); };
  auto areAlternatives = [&](MoveId move) {
    return llvm::any_of(
        b.added, [&](MoveId other) { return other == move || llvm::is_contained(space.getAlternatives(move), other); });
  };
  return llvm::none_of(a.removed, isShared) && llvm::none_of(a.added, areAlternatives);
}

bool Sweeps::takeEdits(llvm::ArrayRef<Edit> edits) {
  constexpr size_t maxJoined = 12;
  std::vector<Moves> lists;
  for (const Edit &edit : edits)
    lists.push_back(apply(edit));
  std::vector<Evaluated> answers = evaluator.evaluate(lists);
  std::vector<std::pair<Rating, size_t>> better;
  for (size_t i = 0; i < edits.size(); ++i)
    if (isWorth(lists[i], answers[i]))
      better.emplace_back(answers[i].rating, i);
  llvm::sort(better);
  std::vector<Edit> joined;
  for (const auto &[rating, i] : better) {
    auto isCompatible = [&](const Edit &other) { return areCompatible(edits[i], other); };
    if (joined.size() < maxJoined && llvm::all_of(joined, isCompatible))
      joined.push_back(edits[i]);
  }
  Edit all;
  for (const Edit &edit : joined) {
    all.removed.append(edit.removed.begin(), edit.removed.end());
    all.added.append(edit.added);
    all.isPlaced = edit.isPlaced;
    Moves list = apply(all);
    if (&edit != joined.data() && list.size() <= maxMoves)
      lists.push_back(std::move(list));
  }
  return take(lists);
}

bool Sweeps::drop() {
  std::vector<Edit> edits;
  Edit ineffective;
  for (size_t i = 0; i < found.moves.size(); ++i) {
    edits.push_back({{i}, {}});
    if (!found.evaluated.isEffective(i))
      ineffective.removed.push_back(i);
  }
  if (ineffective.removed.size() > 1)
    edits.push_back(std::move(ineffective));
  return takeEdits(edits);
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

bool Sweeps::append(llvm::ArrayRef<MoveId> moves) {
  if (found.moves.size() >= maxMoves)
    return false;
  std::vector<Edit> edits;
  for (MoveId move : moves)
    if (!llvm::is_contained(found.moves, move))
      edits.push_back({{}, {move}});
  return takeEdits(edits);
}

bool Sweeps::insert(llvm::ArrayRef<MoveId> moves) {
  if (found.moves.size() >= maxMoves)
    return false;
  std::vector<Edit> edits;
  for (MoveId move : moves)
    if (!llvm::is_contained(found.moves, move) && space.findPlace(found.moves, move) < found.moves.size())
      edits.push_back({{}, {move}, true});
  return takeEdits(edits);
}

bool Sweeps::prepend(llvm::ArrayRef<MoveId> moves) {
  if (found.moves.empty() || found.moves.size() >= maxMoves || evaluator.isOver())
    return false;
  std::vector<Moves> lists;
  for (MoveId move : moves) {
    if (llvm::is_contained(found.moves, move))
      continue;
    lists.push_back(found.moves);
    lists.back().insert(lists.back().begin(), move);
  }
  return take(lists);
}

bool Sweeps::exchange() {
  std::vector<Edit> edits;
  for (size_t i = 0; i < found.moves.size(); ++i)
    for (MoveId move : space.getAlternatives(found.moves[i]))
      if (!llvm::is_contained(found.moves, move))
        edits.push_back({{i}, {move}});
  return takeEdits(edits);
}

bool Sweeps::exchangeInPlace() {
  std::vector<Moves> lists;
  for (size_t i = 0; i + 1 < found.moves.size(); ++i)
    for (MoveId move : space.getAlternatives(found.moves[i]))
      if (!llvm::is_contained(found.moves, move)) {
        lists.push_back(found.moves);
        lists.back()[i] = move;
      }
  return take(lists);
}

bool Sweeps::changeAxis() {
  std::vector<Moves> lists;
  for (size_t i = 0; i < found.moves.size(); ++i)
    for (MoveId move : space.getCounterparts(found.moves[i])) {
      if (llvm::is_contained(found.moves, move))
        continue;
      lists.push_back(found.moves);
      lists.back()[i] = move;
      if (found.moves.size() >= maxMoves)
        continue;
      lists.push_back(found.moves);
      lists.back().insert(lists.back().begin() + i + 1, move);
    }
  return take(lists);
}

/// Replaces the last moves first: proposals for the rest of a list cost more than alternatives.
bool Sweeps::exchangeByProposed() {
  for (size_t i = found.moves.size(); i-- > 0 && !evaluator.isOver();) {
    std::vector<Edit> edits;
    for (MoveId move : listProposed(apply({{i}, {}})))
      if (!llvm::is_contained(found.moves, move))
        edits.push_back({{i}, {move}});
    if (takeEdits(edits))
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
  auto prependProposed = [&](const Moves &moves) { return !evaluator.isOver() && prepend(listProposed(moves)); };
  if (drop() || mirror() || prepend(space.getEarlyMoves()) || prependProposed(found.moves) ||
      prependProposed(Moves()) || append(distinct) || exchange() || exchangeInPlace() || changeAxis() ||
      insert(distinct) || reorder(/*anywhere=*/false) || exchangeByProposed())
    return true;
  if (kind == SweepKind::Quick)
    return false;
  std::vector<MoveId> local = listRange(space.getNumMoves(), space.getNumLocalMoves());
  llvm::erase_if(local, [&](MoveId move) { return space.isOfSeedsAlone(move); });
  return append(all) || append(local) || reorder(/*anywhere=*/true) || prepend(all) || prepend(local) || replace();
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
