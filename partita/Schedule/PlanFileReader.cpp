//===- PlanFileReader.cpp - reads plan.json -------------------------------===//

#include "partita/Schedule/PlanFile.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace partita::schedule {

namespace {

/// Keeps the first error, with its location.
class PlanReader {
public:
  explicit PlanReader(llvm::StringRef file) : file(file) {}

  Result<PlanFile> run(const JsonValue &json);

private:
  const JsonValue *member(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind, llvm::StringRef expected);
  std::string text(const JsonValue &json, llvm::StringRef key);
  void readMesh(const JsonValue &json);
  void readSchedule(const JsonValue &json);
  void readReductions(const JsonValue &json);
  void readMatmul(const JsonValue &json);
  void readRotate(const JsonValue &json);
  void readAction(const JsonValue &json);
  const JsonValue *readOperands(const JsonValue &list, Action &action, std::vector<std::string> &users);
  void readValues(const JsonValue &json, llvm::StringRef key, std::vector<PlanFile::Value> &values);
  void refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known);

  SourceLocation locationOf(const JsonValue &json) const { return {file.str(), json.line, json.column}; }
  void fail(const JsonValue &at, std::string reason) {
    if (!error)
      error = Error::badInput(locationOf(at), std::move(reason));
  }

  llvm::StringRef file;
  PlanFile plan;
  Status error;
};

} // namespace

const JsonValue *PlanReader::member(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind,
                                    llvm::StringRef expected) {
  const JsonValue *found = json.find(key);
  if (!found)
    fail(json, "the member \"" + key.str() + "\" is missing");
  else if (found->kind != kind)
    fail(*found, "\"" + key.str() + "\" must be " + expected.str());
  return found && found->kind == kind ? found : nullptr;
}

std::string PlanReader::text(const JsonValue &json, llvm::StringRef key) {
  const JsonValue *found = member(json, key, JsonValue::Kind::String, "a string");
  return found ? found->text : "";
}

void PlanReader::refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known) {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json, "expected an object");
  for (const JsonMember &entry : json.members)
    if (!llvm::is_contained(known, entry.name) && !error)
      error = Error::badInput({file.str(), entry.line, entry.column}, "unknown member \"" + entry.name + "\"")
                  .withRemedy(adviseName(entry.name, known, "known"));
}

void PlanReader::readMesh(const JsonValue &json) {
  const JsonValue *found = member(json, "mesh", JsonValue::Kind::String, "a string");
  if (!found)
    return;
  Result<Mesh> mesh = parseMesh(found->text);
  if (mesh)
    plan.mesh = std::move(*mesh);
  else
    fail(*found, mesh.error().reason);
}

void PlanReader::readSchedule(const JsonValue &json) {
  const JsonValue *found = json.find("schedule");
  if (error || !found || found->kind == JsonValue::Kind::Null)
    return;
  Result<Schedule> schedule = schedule::readSchedule(*found, file);
  if (schedule)
    plan.schedule = std::move(*schedule);
  else
    error = schedule.error();
}

void PlanReader::readReductions(const JsonValue &json) {
  const JsonValue *found = json.find("reductions");
  if (error || !found)
    return;
  Result<std::vector<CollectiveProgram>> programs = readPrograms(*found, file);
  if (programs)
    plan.reductions = std::move(*programs);
  else
    error = programs.error();
}

void PlanReader::readMatmul(const JsonValue &json) {
  const JsonValue *found = json.find("matmul");
  if (error || !found)
    return;
  Result<std::vector<PiecedCollective>> pieced = readPieced(*found, file);
  if (pieced)
    plan.pieced = std::move(*pieced);
  else
    error = pieced.error();
}

void PlanReader::readRotate(const JsonValue &json) {
  const JsonValue *found = json.find("rotate");
  if (error || !found)
    return;
  Result<std::vector<RotatedCollective>> rotated = readRotated(*found, file);
  if (rotated)
    plan.rotated = std::move(*rotated);
  else
    error = rotated.error();
}

/// Reads the list of an action; its form depends on the kind: `[name, axis]`, `[name, dim, axis]`,
/// `[op, axis, factor]`, `[name, axis, users]`. Returns the axis; null after an error.
const JsonValue *PlanReader::readOperands(const JsonValue &list, Action &action, std::vector<std::string> &users) {
  bool hasDim = action.kind == ActionKind::Tile || action.kind == ActionKind::Side;
  bool endsWithAxis = action.kind != ActionKind::Assign && action.kind != ActionKind::Group;
  size_t size = hasDim || !endsWithAxis ? 3 : 2;
  const JsonValue *axis = nullptr;
  if (list.kind == JsonValue::Kind::Array && list.elements.size() == size &&
      list.elements.front().kind == JsonValue::Kind::String)
    axis = &list.elements[endsWithAxis ? size - 1 : 1];
  if (!axis || axis->kind != JsonValue::Kind::String) {
    fail(list, hasDim                              ? "expected a name, a dim and an axis"
               : action.kind == ActionKind::Assign ? "expected an op, an axis and a factor"
               : action.kind == ActionKind::Group  ? "expected a name, an axis and a list of names"
                                                   : "expected a name and an axis");
    return nullptr;
  }
  if (hasDim || action.kind == ActionKind::Assign) {
    const JsonValue &element = list.elements[hasDim ? 1 : 2];
    std::optional<int64_t> number = element.getInteger();
    if (!number || *number < 0 || *number > UINT16_MAX) {
      fail(element, hasDim ? "expected the number of a dim" : "expected the number of a factor");
      return nullptr;
    }
    action.dim = static_cast<uint32_t>(*number);
  }
  if (action.kind == ActionKind::Group)
    for (const JsonValue &user : list.elements[2].elements)
      users.push_back(user.text);
  return axis;
}

/// `{"tile": ["batch", 0, "data"], "tactic": "BP"}`.
void PlanReader::readAction(const JsonValue &json) {
  refuseOthers(json, {"tile", "atomic", "cut", "side", "assign", "group", "tactic", "first_divisible"});
  if (error)
    return;
  const JsonValue *list = nullptr;
  Action action;
  for (ActionKind kind : actionKinds)
    if (const JsonValue *found = json.find(getWord(kind))) {
      action.kind = kind;
      list = found;
    }
  if (!list)
    return fail(json, "expected an action, such as \"tile\"");
  std::vector<std::string> users;
  const JsonValue *axis = readOperands(*list, action, users);
  if (!axis)
    return;
  if (json.find("tactic"))
    action.tactic = text(json, "tactic");
  if (json.find("first_divisible"))
    if (const JsonValue *found = member(json, "first_divisible", JsonValue::Kind::Bool, "true or false"))
      action.isFirstDivisible = found->boolean;
  action.axis = axis->text;
  action.location = locationOf(*list);
  plan.actionNames.push_back(list->elements.front().text);
  plan.actionUsers.push_back(std::move(users));
  plan.actions.push_back(std::move(action));
}

void PlanReader::readValues(const JsonValue &json, llvm::StringRef key, std::vector<PlanFile::Value> &values) {
  const JsonValue *list = member(json, key, JsonValue::Kind::Array, "a list");
  if (!list)
    return;
  for (const JsonValue &value : list->elements) {
    refuseOthers(value, {"name", "type", "sharding", "order"});
    if (error)
      return;
    values.push_back({text(value, "name"), text(value, "type"), locationOf(value)});
  }
}

/// The figures of the cost by which a replayed plan is known to have the same price; nothing if one is missing.
static std::optional<RecordedPrice> readPrice(const JsonValue *cost) {
  RecordedPrice price;
  for (auto [key, value] :
       {std::pair("time_ps", &price.timePs), std::pair("peak_bytes", &price.peakBytes),
        std::pair("limit_bytes", &price.limitBytes), std::pair("lower_bound_ps", &price.lowerBoundPs)}) {
    const JsonValue *found = cost ? cost->find(key) : nullptr;
    std::optional<int64_t> number = found ? found->getInteger() : std::nullopt;
    if (!number)
      return std::nullopt;
    *value = *number;
  }
  return price;
}

Result<PlanFile> PlanReader::run(const JsonValue &json) {
  refuseOthers(json, {"partita_plan", "program", "platform", "mesh", "machine", "placement", "device_order", "schedule",
                      "reductions", "matmul", "rotate", "actions", "arguments", "results", "cost"});
  plan.location = locationOf(json);
  const JsonValue *version = json.find("partita_plan");
  if (!error && (!version || version->getInteger() != 1))
    fail(json, "this is no partita_plan of version 1");
  if (!error)
    if (const JsonValue *program = member(json, "program", JsonValue::Kind::Object, "an object")) {
      plan.programName = text(*program, "name");
      plan.programSha256 = text(*program, "sha256");
    }
  readMesh(json);
  for (auto [key, value] : {std::pair("machine", &plan.machine), std::pair("placement", &plan.placement)})
    if (const JsonValue *found = json.find(key); found && found->kind == JsonValue::Kind::String)
      *value = found->text;
  plan.price = readPrice(json.find("cost"));
  readSchedule(json);
  readReductions(json);
  readMatmul(json);
  readRotate(json);
  if (const JsonValue *actions = member(json, "actions", JsonValue::Kind::Array, "a list"))
    for (const JsonValue &action : actions->elements)
      if (!error)
        readAction(action);
  readValues(json, "arguments", plan.arguments);
  readValues(json, "results", plan.results);
  if (error)
    return std::move(*error);
  return std::move(plan);
}

Result<PlanFile> readPlan(const JsonValue &json, llvm::StringRef file) { return PlanReader(file).run(json); }

Result<PlanFile> readPlan(llvm::StringRef text, llvm::StringRef file) {
  Result<JsonValue> json = parseJson(text, file);
  return json ? readPlan(*json, file) : json.error();
}

//===----------------------------------------------------------------------===//
// Matching a plan with a program
//===----------------------------------------------------------------------===//

static Error refusePlan(const SourceLocation &location, const std::string &what) {
  return Error::badInput(location, "this plan is of another program: " + what)
      .withRemedy("give it as --schedule to apply its tactics anew");
}

/// The values that only the program or only the plan has. Compares names: one argument more or less would change all
/// numbers behind it.
static std::optional<std::string> describeNames(llvm::ArrayRef<PlanFile::Value> values, llvm::ArrayRef<CellId> cells,
                                                const Graph &graph, const CellNames &names, const std::string &what) {
  llvm::StringSet<> planned, present;
  for (const PlanFile::Value &value : values)
    planned.insert(value.name);
  for (CellId cell : cells)
    present.insert(names.getName(cell));
  for (CellId cell : cells)
    if (!planned.contains(names.getName(cell)))
      return what + " " + names.getName(cell) + " (" + printType(graph, cell) + ") is new";
  for (const PlanFile::Value &value : values)
    if (!present.contains(value.name))
      return what + " " + value.name + " (" + value.type + ") is gone";
  return std::nullopt;
}

static Status verifyValues(llvm::ArrayRef<PlanFile::Value> values, llvm::ArrayRef<CellId> cells, const Graph &graph,
                           const CellNames &names, const std::string &what, const SourceLocation &location) {
  if (std::optional<std::string> other = describeNames(values, cells, graph, names, what))
    return refusePlan(location, *other);
  for (auto [value, cell] : llvm::zip(values, cells))
    if (value.name != names.getName(cell))
      return refusePlan(value.location, what + " " + value.name + " stands in another place");
    else if (value.type != printType(graph, cell))
      return refusePlan(value.location,
                        what + " " + value.name + " is " + printType(graph, cell) + ", the plan's " + value.type);
  if (values.size() != cells.size())
    return refusePlan(location, "it has " + std::to_string(values.size()) + " " + what + "s, this one " +
                                    std::to_string(cells.size()));
  return std::nullopt;
}

Status verifyPlanProgram(const PlanFile &plan, const Graph &graph, const CellNames &names) {
  if (Status error = verifyValues(plan.arguments, graph.arguments, graph, names, "argument", plan.location))
    return error;
  if (Status error = verifyValues(plan.results, graph.results, graph, names, "result", plan.location))
    return error;
  if (plan.programSha256 != graph.programSha256)
    return refusePlan(plan.location, "arguments and results are the same, what is computed between them is not");
  return std::nullopt;
}

Result<std::vector<Action>> findActions(const PlanFile &plan, const CellNames &names) {
  std::vector<Action> actions = plan.actions;
  auto find = [&](const std::string &name, const SourceLocation &location) -> Result<CellId> {
    CellId cell = names.find(name);
    if (cell.isValid())
      return cell;
    return Error::badInput(location, "the program has no value '" + name + "', or several");
  };
  for (auto [action, name, users] : llvm::zip_equal(actions, plan.actionNames, plan.actionUsers)) {
    Result<CellId> cell = find(name, action.location);
    if (!cell)
      return cell.error();
    action.cell = *cell;
    for (const std::string &user : users) {
      Result<CellId> result = find(user, action.location);
      if (!result)
        return result.error();
      action.users.push_back(*result);
    }
  }
  return actions;
}

} // namespace partita::schedule
