//===- Simplification.h - drops moves that gain next to nothing -----------===//
//
// A search takes whatever improves a plan, even by a millionth. People read,
// edit and keep the result, so moves that gain next to nothing are dropped.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SIMPLIFICATION_H
#define PARTITA_SEARCH_SIMPLIFICATION_H

#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

namespace partita::search {

/// How much worse a list may become.
struct Allowance {
  /// The part of the rating that may become worse: the last goal. Earlier parts may not.
  size_t part = 0;
  /// The allowed loss as a share of the part's value, for all moves together.
  double share = 0.0005;
  /// The same for later parts, which are no goals: a move that gains no time may still save memory.
  double laterShare = 0.01;
  /// The list never becomes worse than this, unless it was before.
  Rating ceiling = Rating::worst();
};

/// The list without moves that can be dropped within the allowance; tries later ones first.
Moves simplifyMoves(Walker &walker, llvm::ArrayRef<MoveId> moves, const Allowance &allowance);

} // namespace partita::search

#endif
