//===- MeshSearch.h - the shape of the mesh, searched with the plan -------===//
//
// If only the number of devices is given, shapes are tried: meshes with their
// placements (Machine/MeshShape.h). A mesh can do what another one can if it cuts
// further, so that shapes grow, and each begins with the plans of the one that it
// cuts: what an axis did, both of its parts do. The first has all devices along
// one axis, and was searched before. All of two axes are tried, then those that
// cut an axis of the best one once more, up to four axes, as long as that helps.
// Of shapes that differ in their placements alone, the first gets a glance, and
// the others are priced with what it has found; those that are not close to the
// best are dropped. The best one is searched.
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
  /// What a longer search of it can begin with.
  std::vector<CarriedPlan> plans = {};
  /// The states of its searches.
  int64_t numEvaluations = 0;
};

/// What the search of one mesh has found.
struct MeshFindings {
  /// Of the best plan.
  Cost cost;
  int64_t limitBytes = 0;
  /// A name of what each axis carries.
  std::vector<std::string> axisNames;
  /// That plan first.
  std::vector<CarriedPlan> plans;
};

/// As states of a search are priced, by which shapes are compared.
MeshFindings takeFindings(const FoundTactics &found);

/// Whether nothing names axes: those of one size are alike then, and each may be called by what it carries.
bool areAxesFree(const Graph &graph, const Schedule &schedule);

/// All devices along one axis, with which a search of shapes begins.
Mesh makeWholeMesh(int64_t numDevices);

/// Searches shapes of the machine's devices, each with a part of the budget, from what was found for all of them along
/// one axis. The best shape first, then the others by their ratings; of equals, the one with fewer axes. Leaves out
/// shapes that the machine cannot place.
Result<std::vector<MeshTrial>> searchMeshes(const Analysis &analysis, const Schedule &schedule,
                                            const SearchSetting &setting, const SearchWatch &watch, MeshFindings whole);

/// Searches the mesh with its axes nested in other orders, each with a part of the budget. Placements that give axes
/// parts of levels in other ways get a look, and stand in the list if they are better by 1%. The best placement first,
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
