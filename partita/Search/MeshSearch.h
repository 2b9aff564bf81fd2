//===- MeshSearch.h - the shape of the mesh, searched with the plan -------===//
//
// If only the number of devices is given, shapes of the mesh are tried. A shape
// cuts the machine's devices, in the order of its levels, into axes:
//
//   64 devices of h100-sxm:8x8
//   data=64                       node 8 and nvlink 8
//   data=16,model=4               node 8 and nvlink 2; nvlink 4
//   data=8,fsdp=2,model=4         node 8; nvlink 2; nvlink 4
//
// A mesh can do what another one can if it cuts further, so that shapes grow:
// all of one and two axes get a glance, then those that cut an axis of the best
// ones once more, up to four axes, as long as that helps; the best three are
// searched. The dims of a torus are also taken in other orders.
//
// If the mesh is given, it is tried with its axes on other levels of the machine:
//
//   model=8,data=4 on h100-sxm:4x8     row-major, model lies across nodes
//                                      model=nvlink,data=node
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MESHSEARCH_H
#define PARTITA_SEARCH_MESHSEARCH_H

#include "partita/Search/ScheduleSearch.h"

namespace partita::search {

/// A shape of the mesh, where it lies on the machine, and the best plan found for it.
struct MeshTrial {
  Mesh mesh;
  /// As a user writes it (Machine/Placement.h).
  std::string placement;
  Cost cost;
  int64_t limitBytes = 0;
  Rating rating;
};

/// Searches shapes of `numDevices` devices, each with a part of the budget; the best shape first, then the others by
/// their ratings. A shape with more axes must be faster by 1%, or fit where others do not. Leaves out shapes that the
/// machine cannot place.
Result<std::vector<MeshTrial>> searchMeshes(const Analysis &analysis, int64_t numDevices, const Schedule &schedule,
                                            const SearchSetting &setting, const SearchWatch &watch);

/// Searches the mesh with its axes nested in other orders, each with a part of the budget. The best placement first,
/// then the others by their ratings; row-major is the best one unless another is better by 1%. Empty if there is
/// nothing to choose: one axis, one level, or levels on which order makes no difference.
Result<std::vector<MeshTrial>> searchPlacements(const Analysis &analysis, const Mesh &mesh, const Schedule &schedule,
                                                const SearchSetting &setting, const SearchWatch &watch);

/// The trial whose placement is row-major, if the trials are placements of one mesh; otherwise null.
MeshTrial *findRowMajor(std::vector<MeshTrial> &trials, const Machine &machine);

/// Whether the last automatic tactic of `a` is rated better.
bool isBetter(const SearchedSchedule &a, const SearchedSchedule &b, const SearchOptions &options);

} // namespace partita::search

#endif
