//===- PlanSource.cpp - reads what a user gives as a schedule or plan -----===//

#include "partita/Schedule/PlanSource.h"

#include "partita/Support/InputFile.h"

namespace partita::schedule {

static Result<PlanSource> readScheduleSource(const JsonValue &json, llvm::StringRef file) {
  PlanSource source;
  if (json.kind == JsonValue::Kind::Array) {
    Result<std::vector<PartitionRule>> rules = readPartitionRules(json, file);
    if (!rules)
      return rules.error();
    source.schedule.emplace().shardings = std::move(*rules);
    return source;
  }
  if (isShardingDump(json)) {
    Result<ShardingDump> dump = readShardingDump(json, file);
    if (!dump)
      return dump.error();
    source.schedule.emplace().shardings = std::move(dump->rules);
    source.mesh = std::move(dump->mesh);
    return source;
  }
  Result<Schedule> schedule = readScheduleOrPlan(json, file);
  if (!schedule)
    return schedule.error();
  source.schedule = std::move(*schedule);
  return source;
}

static Result<PlanSource> readPlanSource(const JsonValue &json, llvm::StringRef file) {
  Result<PlanFile> plan = readPlan(json, file);
  if (!plan)
    return plan.error();
  PlanSource source;
  source.mesh = plan->mesh;
  source.plan = std::move(*plan);
  return source;
}

Result<PlanSource> readScheduleFile(llvm::StringRef path, const Limits &limits) {
  Result<JsonValue> json = readJsonFile(path, limits);
  return json ? readScheduleSource(*json, path) : json.error();
}

Result<PlanSource> readPlanFile(llvm::StringRef path, const Limits &limits) {
  Result<JsonValue> json = readJsonFile(path, limits);
  return json ? readPlanSource(*json, path) : json.error();
}

Result<PlanSource> readPlanOrScheduleFile(llvm::StringRef path, const Limits &limits) {
  Result<JsonValue> json = readJsonFile(path, limits);
  if (!json)
    return json.error();
  return json->find("partita_plan") ? readPlanSource(*json, path) : readScheduleSource(*json, path);
}

} // namespace partita::schedule
