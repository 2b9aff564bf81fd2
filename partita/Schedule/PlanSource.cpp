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

Result<std::optional<Mesh>> findGivenMesh(llvm::StringRef text, const PlanSource &source, const Graph &graph) {
  if (!text.empty()) {
    Result<Mesh> mesh = parseMesh(text);
    if (!mesh)
      return mesh.error();
    if (source.plan && !(*mesh == source.plan->mesh))
      return Error::badInput(source.plan->location,
                             "this plan is for the mesh " + source.plan->mesh.str() + ", not " + mesh->str())
          .withRemedy("give it as --schedule to apply its tactics anew");
    return std::optional(std::move(*mesh));
  }
  if (source.mesh || graph.mesh.empty())
    return source.mesh;
  Mesh mesh;
  for (const GivenAxis &axis : graph.mesh)
    mesh.axes.push_back({axis.name, axis.size});
  return std::optional(std::move(mesh));
}

} // namespace partita::schedule
