//===- Simplification.h - a found list without what it does not need ------===//
//
// A search takes whatever makes a plan better, by a millionth too. People read,
// edit and keep what it gives: a move that brings next to nothing is left out.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SIMPLIFICATION_H
#define PARTITA_SEARCH_SIMPLIFICATION_H

#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

namespace partita::search {

/// How much worse a list may become.
struct Allowance {
  /// The part of the rating that may, the last goal; none before it may become worse.
  size_t part = 0;
  /// Of the part's value, for all moves together.
  double share = 0.0005;
  /// Of the values of parts behind it, which are no goals: what costs no time may save memory all the same.
  double laterShare = 0.01;
  /// It becomes no worse than this in any case, unless it was.
  Rating ceiling = Rating::worst();
};

/// The list without moves that it is no worse without, or hardly, later ones first.
Moves simplifyMoves(Walker &walker, llvm::ArrayRef<MoveId> moves, const Allowance &allowance);

} // namespace partita::search

#endif
