//===- PlanSource.h - what a user gives to plan with ----------------------===//
//
// A schedule may be tactics of ours, a list of specs by pattern (other people's
// partition rules), a dump of shardings, or a plan file, whose tactics are then
// applied anew. A plan file may also be replayed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PLANSOURCE_H
#define PARTITA_SCHEDULE_PLANSOURCE_H

#include "partita/Schedule/PlanFile.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/ShardingDump.h"
#include "partita/Support/Limits.h"

namespace partita::schedule {

/// Read, but not applied: one of the three.
struct PlanSource {
  std::optional<Schedule> schedule;
  /// A schedule in the form of specs by pattern; it needs the program's names to become one.
  std::optional<std::vector<PartitionRule>> rules;
  std::optional<PlanFile> plan;
  /// That of a sharding dump or a plan.
  std::optional<Mesh> mesh;
};

/// A schedule in any of its forms.
Result<PlanSource> readScheduleFile(llvm::StringRef path, const Limits &limits);

/// A plan to be replayed.
Result<PlanSource> readPlanFile(llvm::StringRef path, const Limits &limits);

} // namespace partita::schedule

#endif
