//===- PathPlaces.h - where on the longest path a program's costs are -----===//
//
// The places of a region are its slots (Cost/TimeSlots.h), in order and from 1 on.
// At the first weights that a loop's body takes, hardly anything has run that their
// gathers could hide behind, and little is left behind its last gradients: there the
// longest path may be cut (PairwiseBound.h).
//
//   front   weights are used there, and no loop or branch stands in front
//   back    late reductions begin there, and no loop or branch stands behind
//
// Regions in which a folded program elides layers have no places: their ops are at
// several.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PATHPLACES_H
#define PARTITA_SEARCH_BOUND_PATHPLACES_H

#include "partita/Cost/CostModel.h"
#include "partita/Search/Bound/PairwiseBound.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

class PathPlaces {
public:
  explicit PathPlaces(const CostModel &model);

  /// Sets the first and the last place of the op's compute.
  void place(OpId op, BoundVariable &variable) const;
  /// Nullopt if its region has no places.
  std::optional<uint32_t> find(OpId op) const;

  /// In ascending order.
  std::vector<PathCut> listCuts() const;

private:
  /// The bytes that may be gathered, or reduced, at each place.
  using PlaceBytes = std::map<uint32_t, int64_t>;

  /// Places of a region without loops and branches in front of the one, and behind the other.
  struct Ends {
    uint32_t front = 0, back = UINT32_MAX;
  };

  void findPlaces(RegionId region);
  PlaceBytes findGathers(RegionId region) const;
  PlaceBytes findReductions(RegionId region) const;

  const CostModel &model;
  const Graph &graph;
  IdVector<RegionId, std::optional<Ends>> ends;
  IdVector<RegionId, std::vector<OpId>> ops;
};

} // namespace partita::search

#endif
