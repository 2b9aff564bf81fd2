//===- PlanSource.h - reads what a user gives as a schedule or plan -------===//
//
// A schedule file may hold tactics (Schedule.h), specs by pattern
// (PartitionRules.h), a dump of shardings (ShardingDump.h), or a plan, whose
// tactics are then applied again. A plan file can also be replayed (PlanFile.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PLANSOURCE_H
#define PARTITA_SCHEDULE_PLANSOURCE_H

#include "partita/Schedule/PlanFile.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/ShardingDump.h"
#include "partita/Support/Limits.h"

namespace partita::schedule {

/// The content of the file. Exactly one of `schedule` and `plan` is set.
struct PlanSource {
  std::optional<Schedule> schedule;
  std::optional<PlanFile> plan;
  /// The mesh of a sharding dump or a plan.
  std::optional<Mesh> mesh;
};

/// The specs that hold before anything else.
inline llvm::ArrayRef<PartitionRule> getShardings(const PlanSource &source) {
  if (source.schedule)
    return source.schedule->shardings;
  return source.plan && source.plan->schedule ? llvm::ArrayRef(source.plan->schedule->shardings)
                                              : llvm::ArrayRef<PartitionRule>();
}

/// The mesh that is given: as a text, else by the source, else by the program; nullopt if none is. A plan can only be
/// replayed on its own.
Result<std::optional<Mesh>> findGivenMesh(llvm::StringRef text, const PlanSource &source, const Graph &graph);

/// Reads a schedule in any of these formats.
Result<PlanSource> readScheduleFile(llvm::StringRef path, const Limits &limits);

/// Reads a plan that is to be replayed.
Result<PlanSource> readPlanFile(llvm::StringRef path, const Limits &limits);

/// Reads a plan that is to be replayed, or a schedule, whichever the file holds.
Result<PlanSource> readPlanOrScheduleFile(llvm::StringRef path, const Limits &limits);

} // namespace partita::schedule

#endif
