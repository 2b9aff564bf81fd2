//===- Planning.cpp - from a program and a schedule to an assignment ------===//

#include "partita/Driver/Planning.h"

#include "partita/Driver/Searching.h"
#include "partita/Program/Reader.h"
#include "partita/Propagate/AssignmentJson.h"
#include "partita/Propagate/ShardingDump.h"
#include "partita/Support/Containment.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;

namespace partita {

namespace {

/// Hashes what is printed into it, without keeping it.
class HashStream : public llvm::raw_ostream {
public:
  ~HashStream() override { flush(); }
  std::string getHex() {
    flush();
    return llvm::toHex(hash.final(), /*LowerCase=*/true);
  }

private:
  void write_impl(const char *data, size_t size) override {
    hash.update(llvm::StringRef(data, size));
    written += size;
  }
  uint64_t current_pos() const override { return written; }

  llvm::SHA256 hash;
  uint64_t written = 0;
};

} // namespace

std::string hashProgram(ModuleOp module) {
  HashStream stream;
  module.print(stream);
  return stream.getHex();
}

/// What a user gave to plan with, read but not applied.
struct PlanInput {
  std::optional<Schedule> schedule;
  /// A schedule in the form of specs by pattern; it needs the program's names to become one.
  std::optional<std::vector<PartitionRule>> rules;
  /// That of a sharding dump.
  std::optional<Mesh> mesh;
  std::optional<PlanFile> plan;
};

/// A schedule in another form than tactics.
static Status readRules(const JsonValue &json, llvm::StringRef path, PlanInput &input) {
  if (json.kind == JsonValue::Kind::Array) {
    Result<std::vector<PartitionRule>> rules = readPartitionRules(json, path);
    if (!rules)
      return rules.error();
    input.rules = std::move(*rules);
    return std::nullopt;
  }
  Result<ShardingDump> dump = readShardingDump(json, path);
  if (!dump)
    return dump.error();
  input.rules = std::move(dump->rules);
  input.mesh = std::move(dump->mesh);
  return std::nullopt;
}

static Result<PlanInput> readInput(const Options &options) {
  PlanInput input;
  if (!options.plan.empty() && !options.schedule.empty())
    return Error::usage("--plan and --schedule exclude each other").withRemedy("give one of them");
  if (!options.annotated.empty()) {
    if (!options.plan.empty() || !options.schedule.empty())
      return Error::usage("--annotated excludes --plan and --schedule").withRemedy("give one of them");
    input.schedule.emplace();
    return input;
  }
  if (options.plan.empty() && options.schedule.empty()) {
    if (options.machine.empty() && options.search.method != "none")
      return Error::usage("there is nothing to plan with")
          .withRemedy("give tactics with --schedule FILE, or a machine to search for, with --machine h100-sxm:1x8");
    input.schedule = makeSearchedSchedule(options);
    return input;
  }
  llvm::StringRef path = options.plan.empty() ? options.schedule : options.plan;
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, options.limits);
  if (!buffer)
    return buffer.error();
  if (options.plan.empty()) {
    Result<JsonValue> json = parseJson((*buffer)->getBuffer(), path);
    if (!json)
      return json.error();
    if (json->kind == JsonValue::Kind::Array || isShardingDump(*json)) {
      if (Status error = readRules(*json, path, input))
        return std::move(*error);
      return input;
    }
    Result<Schedule> schedule = readSchedule((*buffer)->getBuffer(), path);
    if (!schedule)
      return schedule.error();
    input.schedule = std::move(*schedule);
    return input;
  }
  Result<PlanFile> plan = readPlan((*buffer)->getBuffer(), path);
  if (!plan)
    return plan.error();
  input.plan = std::move(*plan);
  return input;
}

/// `--mesh`, or the plan's own, or that of the program, or the best of `trials`, which are then found.
static Result<Mesh> chooseMesh(const Options &options, const PlanInput &input, const Graph &graph,
                               std::vector<MeshTrial> &trials) {
  if (options.mesh.empty() && input.plan)
    return input.plan->mesh;
  if (options.mesh.empty() && input.mesh)
    return *input.mesh;
  if (options.mesh.empty() && !graph.mesh.empty()) {
    Mesh mesh;
    for (const GivenAxis &axis : graph.mesh)
      mesh.axes.push_back({axis.name, axis.size});
    return mesh;
  }
  if (options.mesh.empty() && options.evaluator.devices > 1 && input.schedule) {
    Result<std::vector<MeshTrial>> found = searchMeshes(graph, options.evaluator.devices, *input.schedule, options);
    if (!found)
      return found.error();
    trials = std::move(*found);
    return trials.front().mesh;
  }
  if (options.mesh.empty())
    return Error::usage("there is no mesh").withRemedy("give one with --mesh data=4,model=2");
  Result<Mesh> mesh = parseMesh(options.mesh);
  if (mesh && input.plan && !(*mesh == input.plan->mesh))
    return Error::badInput(input.plan->place,
                           "this plan is for the mesh " + input.plan->mesh.str() + ", not " + mesh->str())
        .withRemedy("give it as --schedule to apply its tactics anew");
  return mesh;
}

/// Axes, topology and an assignment with nothing in it yet.
static void prepare(Planning &planning, const Mesh &mesh, llvm::ArrayRef<std::string> axes) {
  planning.axes = refineAxes(mesh, planning.getGraph(), axes);
  planning.topology.emplace(planning.getGraph());
  planning.assignment.emplace(*planning.topology, planning.axes);
}

/// Finds automatic tactics, if there are any; that is a stage of its own.
static Result<SearchedSchedule> findSchedule(const Planning &planning, PlanInput &input, const Mesh &mesh,
                                             const Options &options, StageClock &clock) {
  auto isAutomatic = [](const Tactic &tactic) { return tactic.automatic.has_value(); };
  if (llvm::none_of(input.schedule->tactics, isAutomatic))
    return SearchedSchedule{std::move(*input.schedule), {}};
  return clock.run("search", [&] {
    return searchSchedule(planning.getGraph(), mesh, std::move(*input.schedule), options, planning.own);
  });
}

/// Applies what is given, or was found.
static Status applyInput(Planning &planning, PlanInput &input, const Mesh &mesh, const Options &options,
                         StageClock &clock, AfterTactic afterTactic) {
  auto take = [&](Result<ScheduleOutcome> outcome) -> Status {
    if (!outcome)
      return outcome.error();
    planning.outcome = std::move(*outcome);
    return std::nullopt;
  };
  if (input.rules) {
    Result<Schedule> schedule = buildSchedule(*input.rules, planning.getGraph(), planning.names, mesh);
    if (!schedule)
      return schedule.error();
    input.schedule = std::move(*schedule);
  }
  if (input.schedule) {
    Result<SearchedSchedule> searched = findSchedule(planning, input, mesh, options, clock);
    if (!searched)
      return searched.error();
    planning.schedule = std::move(searched->schedule);
    planning.found = std::move(searched->found);
    setActivity("applying tactics");
    return clock.run("tactics", [&] {
      prepare(planning, mesh, collectAxes(*planning.schedule));
      return take(applySchedule(*planning.schedule, planning.names, *planning.assignment, afterTactic));
    });
  }
  if (Status error = verifyPlanProgram(*input.plan, planning.getGraph(), planning.names))
    return error;
  Result<std::vector<Action>> actions = findActions(*input.plan, planning.names);
  if (!actions)
    return actions.error();
  planning.schedule = std::move(input.plan->schedule);
  planning.planMachine = input.plan->machine;
  planning.planPlacement = input.plan->placement;
  setActivity("applying tactics");
  return clock.run("tactics", [&] {
    prepare(planning, mesh, collectAxes(*actions));
    return take(replayActions(*actions, planning.names, *planning.assignment, afterTactic));
  });
}

Result<std::unique_ptr<Planning>> makePlanning(Graph graph, const Options &options, StageClock &clock) {
  Result<PlanInput> input = readInput(options);
  if (!input)
    return input.error();
  std::vector<MeshTrial> trials;
  Result<Mesh> mesh = chooseMesh(options, *input, graph, trials);
  if (!mesh)
    return mesh.error();
  Flattened flattened;
  flattened.graph = std::move(graph);
  auto planning = std::make_unique<Planning>(std::move(flattened));
  planning->meshes = std::move(trials);
  if (Status error = applyInput(*planning, *input, *mesh, options, clock, nullptr))
    return std::move(*error);
  return planning;
}

Result<std::unique_ptr<Planning>> makePlanning(ModuleOp module, const Options &options, StageClock &clock,
                                               AfterTactic afterTactic) {
  Result<PlanInput> input = readInput(options);
  if (!input)
    return input.error();
  auto flattened = clock.run("flatten", [&] { return flatten(module, options.flatten); });
  if (!flattened)
    return flattened.error();
  std::vector<MeshTrial> trials;
  Result<Mesh> mesh = chooseMesh(options, *input, flattened->graph, trials);
  if (!mesh)
    return mesh.error();
  if (input->plan)
    flattened->graph.programSha256 = clock.run("hash", [&] { return hashProgram(module); });
  auto planning = std::make_unique<Planning>(std::move(*flattened));
  planning->meshes = std::move(trials);
  auto own = findOwnCollectives(planning->flattened, *mesh, options.cost.assumedTrips);
  if (!own)
    return own.error();
  planning->own = std::move(*own);
  if (Status error = applyInput(*planning, *input, *mesh, options, clock, afterTactic))
    return std::move(*error);
  return planning;
}

std::string printPlan(Planning &planning, ModuleOp module, const PlanCost *cost) {
  std::string &sha256 = planning.flattened.graph.programSha256;
  if (sha256.empty())
    sha256 = hashProgram(module);
  std::string text;
  llvm::raw_string_ostream out(text);
  writePlan(planning.schedule ? &*planning.schedule : nullptr, planning.outcome, *planning.assignment, planning.names,
            cost, out);
  return text;
}

std::string printAssignment(const Planning &planning) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeAssignment(*planning.assignment, planning.outcome.conflicts, planning.names, out);
  return text;
}

std::string printTactics(const Planning &planning, bool asJson) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!asJson) {
    for (const TacticReport &report : planning.outcome.reports)
      printReport(report, out);
    return text;
  }
  {
    llvm::json::OStream json(out);
    json.object([&] {
      json.attribute("mesh", planning.axes.mesh.str());
      json.attributeArray("tactics", [&] {
        for (const TacticReport &report : planning.outcome.reports)
          writeReport(report, json);
      });
    });
  }
  out << "\n";
  return text;
}

} // namespace partita
