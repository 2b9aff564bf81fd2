//===- Refinement.cpp - makes a good list of moves better -----------------===//

#include "partita/Search/Refinement.h"

#include "partita/Search/Hash.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace partita {

namespace {

class Sweeps {
public:
  Sweeps(Oracle &oracle, Found start) : oracle(oracle), found(std::move(start)) {}

  Found run();

private:
  /// Takes the best of `lists` if it is better than what is there.
  bool take(llvm::ArrayRef<Moves> lists);
  bool drop();
  bool mirror();
  bool reorder();
  /// At the end or in front.
  bool insert();
  bool deviate();
  bool insertAnyOf(llvm::ArrayRef<MoveId> moves);
  /// With what the space proposes once the move is gone, or with any.
  bool replace(bool byAny);
  /// Moves that are not in the list, made anew for each list.
  Moves with(size_t position, MoveId move) const;

  Oracle &oracle;
  Found found;
};

} // namespace

/// Of equal scores, the shorter list is better.
static bool isBetter(const Evaluated &a, size_t aSize, const Found &b) {
  return std::pair(a.rating, aSize) < std::pair(b.evaluated.rating, b.moves.size());
}

bool Sweeps::take(llvm::ArrayRef<Moves> lists) {
  std::vector<Evaluated> answers = oracle.evaluate(lists);
  std::optional<size_t> best;
  for (size_t i = 0; i < lists.size(); ++i)
    if (isBetter(answers[i], lists[i].size(), best ? Found{lists[*best], answers[*best]} : found))
      best = i;
  if (!best)
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
  std::vector<Moves> lists = oracle.getSpace().getMirrors(found.moves);
  llvm::append_range(lists, oracle.getSpace().getCopies(found.moves));
  return take(lists);
}

bool Sweeps::reorder() {
  std::vector<Moves> lists;
  for (size_t from = 0; from < found.moves.size(); ++from)
    for (size_t to = 0; to < found.moves.size(); ++to) {
      if (from == to || from == to + 1)
        continue;
      Moves list = found.moves;
      MoveId move = list[from];
      list.erase(list.begin() + from);
      list.insert(list.begin() + to, move);
      lists.push_back(std::move(list));
    }
  return take(lists);
}

Moves Sweeps::with(size_t position, MoveId move) const {
  Moves list = found.moves;
  list.insert(list.begin() + position, move);
  return list;
}

/// At the end first: what lists have in common is cheap.
bool Sweeps::insertAnyOf(llvm::ArrayRef<MoveId> moves) {
  if (found.moves.size() >= maxMoves)
    return false;
  for (size_t position : {found.moves.size(), size_t(0)}) {
    std::vector<Moves> lists;
    for (MoveId move : moves)
      if (!llvm::is_contained(found.moves, move))
        lists.push_back(with(position, move));
    if (take(lists))
      return true;
    if (found.moves.empty() || oracle.isOver())
      return false;
  }
  return false;
}

bool Sweeps::insert() {
  std::vector<MoveId> moves;
  for (MoveId move : idRange<MoveId>(oracle.getSpace().getNumMoves()))
    moves.push_back(move);
  return insertAnyOf(moves);
}

bool Sweeps::deviate() {
  std::vector<MoveId> moves;
  for (uint32_t i = 0; i < oracle.getSpace().getNumDeviations(); ++i)
    moves.push_back(MoveId(oracle.getSpace().getNumMoves() + i));
  return insertAnyOf(moves);
}

/// The last ones first.
bool Sweeps::replace(bool byAny) {
  constexpr size_t width = 32;
  for (size_t i = found.moves.size(); i-- > 0 && !oracle.isOver();) {
    std::vector<MoveId> others;
    if (byAny) {
      for (MoveId move : idRange<MoveId>(oracle.getSpace().getNumMoves()))
        others.push_back(move);
    } else {
      Moves rest = found.moves;
      rest.erase(rest.begin() + i);
      others = oracle.propose(rest);
      others.resize(std::min(others.size(), width));
    }
    std::vector<Moves> lists;
    for (MoveId move : others) {
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

Found Sweeps::run() {
  while (!oracle.isOver() &&
         (drop() || mirror() || reorder() || replace(false) || insert() || deviate() || replace(true))) {
  }
  return found;
}

Found refineBySweeps(Oracle &oracle, Found start) { return Sweeps(oracle, std::move(start)).run(); }

/// Without some moves: neighbours in the list, or any.
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

Found refine(Oracle &oracle, Found start, RefinementOptions options) {
  Found found = refineBySweeps(oracle, std::move(start));
  uint64_t random = mixHash(options.seed);
  std::vector<Moves> rests = oracle.getSpace().getRests(found.moves);
  for (uint32_t failed = 0; failed < options.maxRepairs && !oracle.isOver() && !found.moves.empty();) {
    // What is done in one place first, then some moves at random.
    Moves rest = failed < rests.size() ? rests[failed] : dropSome(found.moves, options.maxDropped, random);
    Found repaired = completeGreedily(oracle, std::move(rest), options.greedy);
    if (!isBetter(repaired.evaluated, repaired.moves.size(), found)) {
      ++failed;
      continue;
    }
    found = refineBySweeps(oracle, std::move(repaired));
    rests = oracle.getSpace().getRests(found.moves);
    failed = 0;
  }
  return found;
}

} // namespace partita
