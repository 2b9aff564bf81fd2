//===- Searching.h - automatic tactics become found ones ------------------===//

#ifndef PARTITA_DRIVER_SEARCHING_H
#define PARTITA_DRIVER_SEARCHING_H

#include "partita/Driver/Options.h"
#include "partita/Driver/OwnCollectives.h"
#include "partita/Search/PlanSearch.h"

namespace partita {

struct SearchedSchedule {
  /// Without automatic tactics.
  Schedule schedule;
  /// One for each automatic tactic.
  std::vector<FoundTactics> found;
};

/// The schedule of a user who gave none: one automatic tactic, or nothing if `--search` is none.
Schedule makeSearchedSchedule(const Options &options);

/// Searches, on `--machine`, for the tactics in place of each automatic one; tactics before it are applied first, those
/// behind it later. A schedule without automatic tactics comes back as it is. With the program's own collectives, the
/// timeline of the whole program chooses among the best plans (PlanRequest::schedulePs); without, the formula alone.
Result<SearchedSchedule> searchSchedule(const Graph &graph, const Mesh &mesh, Schedule schedule, const Options &options,
                                        std::optional<llvm::ArrayRef<OwnCollective>> own = std::nullopt);

/// A shape of the mesh, and what was found for it.
struct MeshTrial {
  Mesh mesh;
  Cost cost;
  int64_t limitBytes = 0;
  Rating rating;
};

/// Shapes of `numDevices` devices, all of them along `data`, or some of them along `model`, with what a quarter of the
/// budget finds for each; the best one first. Shapes that the machine cannot place are left out.
Result<std::vector<MeshTrial>> searchMeshes(const Graph &graph, int64_t numDevices, const Schedule &schedule,
                                            const Options &options);

/// What was found, for a terminal.
std::string printFound(const FoundTactics &found);
std::string printMeshes(llvm::ArrayRef<MeshTrial> trials);

/// The members of report.json's `search`.
void writeFound(llvm::ArrayRef<FoundTactics> found, llvm::ArrayRef<MeshTrial> meshes, const Options &options,
                llvm::json::OStream &json);

/// An error if a plan is not what was asked for: it does not fit, or `--strict` and the search was cut short.
Status checkFound(llvm::ArrayRef<FoundTactics> found, const Options &options);

} // namespace partita

#endif
