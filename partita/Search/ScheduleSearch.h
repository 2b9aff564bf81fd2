//===- ScheduleSearch.h - automatic tactics become found ones -------------===//
//
// A schedule may hold automatic tactics, which leave a part of the plan to the
// search. Each is searched for behind the tactics before it, and replaced by what
// was found. Where only the number of devices is given, shapes of the mesh are
// tried first, each with a part of the budget.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SCHEDULESEARCH_H
#define PARTITA_SEARCH_SCHEDULESEARCH_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Search/PlanSearch.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Who is told how a search goes on; either may be empty.
struct SearchWatch {
  /// Called in order with every state, and the goals that its rating is by.
  std::function<void(const EvaluatedState &state, llvm::ArrayRef<Goal> goals)> onState;
  /// Whether states that are not the best so far are wanted with their words.
  bool watchesAll = false;
  /// Called when a search has ended; with nothing if it failed.
  std::function<Status(const FoundTactics *found)> onEnd;
};

/// What all searches of one schedule have in common.
struct SearchSetting {
  Machine machine;
  /// As a user writes it (Machine/Placement.h); empty: chosen by the mesh.
  std::string placement;
  CostOptions cost;
  SearchOptions search;
};

struct SearchedSchedule {
  /// Without automatic tactics.
  Schedule schedule;
  /// One for each automatic tactic.
  std::vector<FoundTactics> found;
};

/// One automatic tactic: what is searched for if nobody gives a schedule.
Schedule makeAutomaticSchedule();

bool hasAutomaticTactics(const Schedule &schedule);

/// Searches for the tactics in place of each automatic one; tactics before it are applied first, those behind it later.
/// With the program's own collectives, the timeline of the whole program chooses among the best plans; without, the
/// formula alone.
Result<SearchedSchedule> searchSchedule(const Analysis &analysis, const Mesh &mesh, Schedule schedule,
                                        const SearchSetting &setting,
                                        std::optional<llvm::ArrayRef<ExistingCollective>> existing,
                                        const SearchWatch &watch);

/// A shape of the mesh, and what was found for it.
struct MeshTrial {
  Mesh mesh;
  Cost cost;
  int64_t limitBytes = 0;
  Rating rating;
};

/// Shapes of `numDevices` devices, all of them along `data`, or some of them along `model`, with what a quarter of the
/// budget finds for each; the best one first. Shapes that the machine cannot place are left out.
Result<std::vector<MeshTrial>> searchMeshes(const Analysis &analysis, int64_t numDevices, const Schedule &schedule,
                                            const SearchSetting &setting, const SearchWatch &watch);

} // namespace partita::search

#endif
