//===- AxisSymmetry.h - axis symmetry: moves that are the same on two axes -----===//
//
// While nothing is decided, a tile over one axis reaches what it reaches over any
// other axis that divides the same sizes. Only the first of such moves is made;
// the others are known from it.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_AXISSYMMETRY_H
#define PARTITA_SEARCH_AXISSYMMETRY_H

#include "partita/Propagate/Assignment.h"
#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

class AxisSymmetry {
public:
  /// If the base has decisions, no axis is like another.
  explicit AxisSymmetry(const Assignment &base);

  /// The first axis that divides the same sizes of the program.
  AxisId getLike(AxisId axis) const { return likes[axis]; }
  /// The first move that was given and says the same of a like axis; itself if there was none.
  MoveId find(const Move &move, MoveId own);

private:
  IdVector<AxisId, AxisId> likes;
  /// By the like axis, the role and the entries.
  std::map<std::vector<uint32_t>, MoveId> first;
};

} // namespace partita::search

#endif
