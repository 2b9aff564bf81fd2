//===- PlanSource.cpp - reads what a user gives as a schedule or plan -----===//

#include "partita/Schedule/PlanSource.h"

#include "partita/Support/InputFile.h"

namespace partita::schedule {

Result<PlanSource> readScheduleFile(llvm::StringRef path, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  Result<JsonValue> json = parseJson((*buffer)->getBuffer(), path);
  if (!json)
    return json.error();
  PlanSource source;
  if (json->kind == JsonValue::Kind::Array) {
    Result<std::vector<PartitionRule>> rules = readPartitionRules(*json, path);
    if (!rules)
      return rules.error();
    source.schedule.emplace().shardings = std::move(*rules);
    return source;
  }
  if (isShardingDump(*json)) {
    Result<ShardingDump> dump = readShardingDump(*json, path);
    if (!dump)
      return dump.error();
    source.schedule.emplace().shardings = std::move(dump->rules);
    source.mesh = std::move(dump->mesh);
    return source;
  }
  Result<Schedule> schedule = readSchedule((*buffer)->getBuffer(), path);
  if (!schedule)
    return schedule.error();
  source.schedule = std::move(*schedule);
  return source;
}

Result<bool> isPlanFile(llvm::StringRef path, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  Result<JsonValue> json = parseJson((*buffer)->getBuffer(), path);
  if (!json)
    return json.error();
  return json->find("partita_plan") != nullptr;
}

Result<PlanSource> readPlanFile(llvm::StringRef path, const Limits &limits) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, limits);
  if (!buffer)
    return buffer.error();
  Result<PlanFile> plan = readPlan((*buffer)->getBuffer(), path);
  if (!plan)
    return plan.error();
  PlanSource source;
  source.mesh = plan->mesh;
  source.plan = std::move(*plan);
  return source;
}

} // namespace partita::schedule
