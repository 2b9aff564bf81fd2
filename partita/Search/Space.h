//===- Space.h - what a search searches -----------------------------------===//
//
// A space has moves, numbered from 0. A state is what a list of moves leads to,
// applied in order from the start; two lists may lead to the same state, which
// its key says. A walker goes from state to state and gives each a rating; it
// keeps what lists have in common at their beginnings, so neighbours in a search
// are cheap. Each thread has a walker of its own; what a walker answers depends
// on the list alone.
//
// Search algorithms know nothing else of what they search: tests give them
// tables, the planner gives them partitionings (PlanSpace.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SPACE_H
#define PARTITA_SEARCH_SPACE_H

#include "partita/Search/Rooms.h"
#include "partita/Support/Id.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace partita::search {

using MoveId = Id<struct MoveTag>;
using Moves = llvm::SmallVector<MoveId, 12>;

/// Lists of moves are no longer than this: which of them did something is a word of bits.
inline constexpr size_t maxMoves = 64;

/// What the goals say of a state, the first goal first; less is better.
struct Rating {
  static constexpr size_t size = 4;
  std::array<int64_t, size> parts{};

  static constexpr Rating worst() { return {{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}}; }
  auto operator<=>(const Rating &) const = default;
};

struct Evaluated {
  Rating rating = Rating::worst();
  /// The same for lists that lead to the same state.
  uint64_t state = 0;
  /// Bit i: move i could be made and changed something.
  uint64_t effective = 0;

  bool isEffective(size_t move) const { return (effective >> move & 1) != 0; }
  bool operator==(const Evaluated &) const = default;
};

/// A partial plan: what is left of a list without the moves of one axis, say.
struct PartialPlan {
  Moves moves;
  /// Excluded from its completion: with one of these the list would come back to where it was.
  std::vector<MoveId> excluded;
};

class Walker {
public:
  virtual ~Walker() = default;
  /// A list has at most maxMoves. A move that cannot be made is passed over.
  virtual Evaluated evaluate(llvm::ArrayRef<MoveId> moves) = 0;
  /// Moves that can help the state that was evaluated last at the first goal that it does not meet, the most promising
  /// first. They say in which order to try, and nothing of the others.
  virtual std::vector<MoveId> propose() { return {}; }
  /// The list with moves over many things as moves over one each, which lead to the same state or nearly so; at most
  /// maxMoves. The same list if there are none.
  virtual Moves expand(llvm::ArrayRef<MoveId> moves) { return Moves(moves.begin(), moves.end()); }
};

class Space {
public:
  virtual ~Space() = default;
  virtual uint32_t getNumMoves() const = 0;
  /// Ops that a state is priced for: the fewer, the cheaper an evaluation.
  virtual size_t getNumOps() const = 0;
  /// Local moves, numbered behind those: they affect single ops or uses, and are tried when no other move helps.
  virtual uint32_t getNumLocalMoves() const { return 0; }
  /// The first move that does the same when both are made alone. It is tried instead of the others until nothing else
  /// helps.
  virtual MoveId getLike(MoveId move) const { return move; }
  /// Between 0 and 1, for comparisons that lose no order: a state with a better rating has no lower a reward.
  virtual double getReward(const Rating &rating) const = 0;
  /// One figure for all goals, less is better: the more weight, the more it counts that an earlier goal is missed.
  virtual double getBlend(const Rating &rating, double weight) const = 0;
  virtual std::unique_ptr<Walker> makeWalker() const = 0;
  /// The list with two axes exchanged, if the space has axes. A step so large that no sequence of small ones would make
  /// it.
  virtual std::vector<Moves> getMirrors(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// The list with the moves of one axis repeated on another, instead of that one's own.
  virtual std::vector<Moves> getCopies(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// Other moves on the same axis with the same subject.
  virtual llvm::ArrayRef<MoveId> getAlternatives(MoveId move) const { return {}; }
  /// Moves that have an effect only in front of others, so that a list which grows at its end never comes to them.
  virtual Moves getEarlyMoves() const { return {}; }
  /// The list without the moves of one axis, for each axis; excluded are those that would split there what was split.
  virtual std::vector<PartialPlan> getPartialPlans(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// One list for all that differ in equivalent axes only: axes of one size on links of one kind.
  virtual Moves canonicalize(llvm::ArrayRef<MoveId> moves) const { return Moves(moves.begin(), moves.end()); }
};

} // namespace partita::search

#endif
