//===- ScheduleSearch.h - replaces automatic tactics by found ones --------===//
//
// A schedule may hold automatic tactics, which leave a part of the plan to the
// search. Each is searched for after the tactics before it are applied, and
// replaced by what was found.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SCHEDULESEARCH_H
#define PARTITA_SEARCH_SCHEDULESEARCH_H

#include "partita/Cost/ExistingCollectives.h"
#include "partita/Cost/MachineOptions.h"
#include "partita/Schedule/AutomaticTactics.h"
#include "partita/Search/PlanSearch.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// Observers of a search; either may be empty.
struct SearchWatch {
  /// Called in order with every state and the goals of its rating.
  std::function<void(const EvaluatedState &state, llvm::ArrayRef<Goal> goals)> onState;
  /// Whether onState gets words also for states that are not the best so far.
  bool watchesAll = false;
  /// Called when a search has ended; with null if it failed.
  std::function<Status(const FoundTactics *found)> onEnd;
};

/// What all searches of one schedule have in common.
struct SearchSetting {
  Machine machine;
  /// As a user writes it (Machine/Placement.h); empty: chosen for the mesh.
  std::string placement;
  CostOptions cost;
  SearchOptions search;
  /// As in PlanRequest.
  std::vector<CarriedPlan> carried = {};
  bool isProbe = false;
};

/// Resolves what the options name.
Result<SearchSetting> makeSearchSetting(const MachineOptions &on, const SearchOptions &search);

struct SearchedSchedule {
  /// Without automatic tactics; of a probe, also without found ones.
  Schedule schedule;
  /// One for each automatic tactic.
  std::vector<FoundTactics> found;
};

/// One automatic tactic: the default without a schedule.
Schedule makeAutomaticSchedule();

/// Replaces each automatic tactic by found ones. Tactics before it are applied first, those after it later. If
/// `existing` is given, the timeline of the whole program chooses among the best plans; otherwise the formula alone.
Result<SearchedSchedule> searchSchedule(const Analysis &analysis, const Mesh &mesh, Schedule schedule,
                                        const SearchSetting &setting,
                                        std::optional<llvm::ArrayRef<ExistingCollective>> existing,
                                        const SearchWatch &watch);

} // namespace partita::search

#endif
