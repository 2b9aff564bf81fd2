//===- Space.h - moves, states and walkers of a search --------------------===//
//
// A space has moves, numbered from 0. A state is the result of a list of moves,
// applied in order from the start. Two lists may lead to the same state; then
// their keys are equal. A walker goes from state to state and gives each a
// rating. It keeps common prefixes of lists, so evaluating neighbors is cheap.
// Each thread has its own walker; its answers depend on the list alone.
//
// Search algorithms know nothing else about what they search: tests give them
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

/// The most moves in a list: Evaluated::effective has one bit for each.
inline constexpr size_t maxMoves = 64;

/// The values of a state for the goals, the first goal first; less is better.
struct Rating {
  static constexpr size_t size = 4;
  std::array<int64_t, size> parts{};

  static constexpr Rating worst() { return {{INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}}; }
  auto operator<=>(const Rating &) const = default;
};

struct Evaluated {
  Rating rating = Rating::worst();
  /// Equal for lists that lead to the same state.
  uint64_t state = 0;
  /// Bit i: move i was possible and changed something.
  uint64_t effective = 0;

  bool isEffective(size_t move) const { return (effective >> move & 1) != 0; }
  bool operator==(const Evaluated &) const = default;
};

/// A partial plan: for example, a list without the moves of one axis.
struct PartialPlan {
  Moves moves;
  /// Excluded from its completion: these would lead back to the original list.
  std::vector<MoveId> excluded;
};

class Walker {
public:
  virtual ~Walker() = default;
  /// A list has at most maxMoves. An impossible move is skipped.
  virtual Evaluated evaluate(llvm::ArrayRef<MoveId> moves) = 0;
  /// Moves that may improve the state that was evaluated last, for the first goal that it does not meet; the most
  /// promising first. They are a suggestion of order, not a restriction.
  virtual std::vector<MoveId> propose() { return {}; }
  /// The list with each move over many groups replaced by moves over one group each, which lead to the same state or
  /// nearly so; at most maxMoves. The same list if there are none.
  virtual Moves expand(llvm::ArrayRef<MoveId> moves) { return Moves(moves.begin(), moves.end()); }
};

class Space {
public:
  virtual ~Space() = default;
  virtual uint32_t getNumMoves() const = 0;
  /// The number of ops of the program: the fewer, the cheaper an evaluation.
  virtual size_t getNumOps() const = 0;
  /// Local moves, numbered after the others: they affect single ops or uses, and are tried when no other move helps.
  virtual uint32_t getNumLocalMoves() const { return 0; }
  /// One of these with which only seeds begin: sweeps do not add it.
  virtual bool isOfSeedsAlone(MoveId move) const { return false; }
  /// The first move that leads to the same state when both are applied alone. Searches try it instead of the others
  /// until nothing else helps.
  virtual MoveId getRepresentative(MoveId move) const { return move; }
  /// More is better, on a logarithmic scale: a difference of 0.01 is one percent of the goal.
  virtual double getReward(const Rating &rating) const = 0;
  /// One number for all goals, less is better. The larger the weight, the more an unmet earlier goal counts.
  virtual double getBlend(const Rating &rating, double weight) const = 0;
  virtual std::unique_ptr<Walker> makeWalker() const = 0;
  /// The list with two axes exchanged, if the space has axes: a step that no sequence of improving small ones makes.
  virtual std::vector<Moves> getMirrors(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// The list with the moves of one axis repeated on another, in place of that one's own.
  virtual std::vector<Moves> getCopies(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// Where a further move belongs in the list: at its end, or in front of a move over many groups that would leave it
  /// nothing to do.
  virtual size_t findPlace(llvm::ArrayRef<MoveId> moves, MoveId move) const { return moves.size(); }
  /// Other moves on the same axis with the same subject.
  virtual llvm::ArrayRef<MoveId> getAlternatives(MoveId move) const { return {}; }
  /// The same move over each other axis that has it.
  virtual Moves getCounterparts(MoveId move) const { return {}; }
  /// Moves that have an effect only before others, so that a list that grows at its end never includes them.
  virtual Moves getEarlyMoves() const { return {}; }
  /// For each axis, the list without its moves; excludes moves that would split the same values over this axis again.
  virtual std::vector<PartialPlan> getPartialPlans(llvm::ArrayRef<MoveId> moves) const { return {}; }
  /// One list for all that differ only by a permutation of equivalent axes: axes of equal size on equal links.
  virtual Moves canonicalize(llvm::ArrayRef<MoveId> moves) const { return Moves(moves.begin(), moves.end()); }
};

} // namespace partita::search

#endif
