//===- AxisSymmetry.h - moves that are the same on two axes ---------------===//
//
// Before anything is decided, a tile over one axis has the same effect as over
// any other axis that divides the same sizes. Of such symmetric moves only the
// first is tried; its effect gives that of the others.
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
  /// If `base` has decisions, no two axes are symmetric.
  explicit AxisSymmetry(const Assignment &base);

  /// The first axis that divides the same sizes of the program.
  AxisId getRepresentative(AxisId axis) const { return representatives[axis]; }
  /// The first move passed to find() that does the same on a symmetric axis; `own` if there was none.
  MoveId find(const Move &move, MoveId own);

private:
  IdVector<AxisId, AxisId> representatives;
  /// By the first symmetric axis, the role and the entries.
  std::map<std::vector<uint32_t>, MoveId> first;
};

} // namespace partita::search

#endif
