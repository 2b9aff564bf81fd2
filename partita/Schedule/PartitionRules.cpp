//===- PartitionRules.cpp - specs by pattern, as JAX users write them -----===//

#include "partita/Schedule/PartitionRules.h"

namespace partita::schedule {

static SourceLocation getLocation(const JsonValue &value, llvm::StringRef file) {
  return {file.str(), value.line, value.column};
}

static Error makeError(const JsonValue &value, llvm::StringRef file, std::string reason) {
  return Error::badInput(getLocation(value, file), std::move(reason))
      .withRemedy("write each rule as [\"pattern\", [\"axis\", null, [\"axis\", \"axis\"]]]");
}

/// The axes of one dim.
static Result<std::vector<std::string>> readDim(const JsonValue &json, llvm::StringRef file) {
  std::vector<std::string> axes;
  if (json.kind == JsonValue::Kind::Null)
    return axes;
  if (json.kind == JsonValue::Kind::String)
    return std::vector<std::string>{json.text};
  if (json.kind != JsonValue::Kind::Array)
    return makeError(json, file, "a dim's entry is neither an axis, a list of axes nor null");
  for (const JsonValue &axis : json.elements) {
    if (axis.kind != JsonValue::Kind::String)
      return makeError(axis, file, "this is not the name of an axis");
    axes.push_back(axis.text);
  }
  return axes;
}

static Result<PartitionRule> readRule(const JsonValue &json, llvm::StringRef file) {
  bool isPair = json.kind == JsonValue::Kind::Array && json.elements.size() == 2 &&
                json.elements[0].kind == JsonValue::Kind::String && json.elements[1].kind == JsonValue::Kind::Array;
  if (!isPair)
    return makeError(json, file, "a rule is a pair of a pattern and a list of dims");
  Result<Pattern> pattern = Pattern::parse(json.elements[0].text, getLocation(json.elements[0], file));
  if (!pattern)
    return pattern.error();
  PartitionRule rule{*pattern, {}, getLocation(json, file)};
  for (const JsonValue &dim : json.elements[1].elements) {
    Result<std::vector<std::string>> axes = readDim(dim, file);
    if (!axes)
      return axes.error();
    rule.dims.push_back(std::move(*axes));
  }
  return rule;
}

Result<std::vector<PartitionRule>> readPartitionRules(const JsonValue &json, llvm::StringRef file) {
  std::vector<PartitionRule> rules;
  for (const JsonValue &entry : json.elements) {
    Result<PartitionRule> rule = readRule(entry, file);
    if (!rule)
      return rule.error();
    rules.push_back(std::move(*rule));
  }
  return rules;
}

namespace {

class ScheduleBuilder {
public:
  ScheduleBuilder(llvm::ArrayRef<PartitionRule> rules, const Graph &graph, const CellNames &names, const Mesh &mesh)
      : rules(rules), graph(graph), names(names), mesh(mesh), taken(graph.cells.size()) {}

  Result<Schedule> run() {
    for (const MeshAxis &axis : mesh.axes)
      if (axis.size > 1)
        whole.tactics.push_back(makeTactic("whole over " + axis.name, axis.name, SourceLocation()));
    for (size_t number = 0; number < rules.size(); ++number)
      if (Status error = addRule(number))
        return std::move(*error);
    llvm::erase_if(whole.tactics, [](const Tactic &tactic) { return tactic.entries.empty(); });
    for (std::vector<Tactic> *tactics : {&binds, &tiles})
      for (Tactic &tactic : *tactics)
        whole.tactics.push_back(std::move(tactic));
    return std::move(whole);
  }

private:
  static Tactic makeTactic(std::string name, std::string axis, const SourceLocation &location) {
    Tactic tactic;
    tactic.name = std::move(name);
    tactic.axis = std::move(axis);
    tactic.axisLocation = tactic.location = location;
    return tactic;
  }
  /// An entry for the cell alone.
  ScheduleEntry makeEntry(ActionKind kind, CellId cell, std::optional<uint32_t> dim,
                          const SourceLocation &location) const {
    Result<Pattern> pattern = Pattern::parse(escapePattern(names.getName(cell)), location);
    return {kind, *pattern, dim, location};
  }
  bool isNamed(const PartitionRule &rule, llvm::StringRef axis) const {
    return llvm::any_of(rule.dims, [&](const auto &dim) { return llvm::is_contained(dim, axis); });
  }

  Result<std::vector<CellId>> findArguments(const PartitionRule &rule);
  Status addRule(size_t number);

  llvm::ArrayRef<PartitionRule> rules;
  const Graph &graph;
  const CellNames &names;
  const Mesh &mesh;
  IdVector<CellId, uint8_t> taken;
  Schedule whole;
  std::vector<Tactic> binds, tiles;
};

} // namespace

/// The arguments that no earlier rule has matched.
Result<std::vector<CellId>> ScheduleBuilder::findArguments(const PartitionRule &rule) {
  std::vector<CellId> arguments;
  bool isMatched = false;
  for (CellId cell : names.match(rule.pattern)) {
    if (graph.cells[cell].kind != CellKind::Argument)
      continue;
    isMatched = true;
    if (!taken[cell])
      arguments.push_back(cell);
    taken[cell] = 1;
    if (rule.dims.size() > graph.cells[cell].rank && !arguments.empty() && arguments.back() == cell)
      return Error::badInput(rule.location, "the spec has " + std::to_string(rule.dims.size()) + " dims, but " +
                                                names.getName(cell) + " has " + std::to_string(graph.cells[cell].rank))
          .withRemedy("put a rule before it that matches this argument");
  }
  if (!isMatched)
    return Error::badInput(rule.location, "the pattern '" + rule.pattern.getText() + "' matches no argument")
        .withRemedy("partita plan FILE --stop-after=flatten lists their names");
  return arguments;
}

Status ScheduleBuilder::addRule(size_t number) {
  const PartitionRule &rule = rules[number];
  Result<std::vector<CellId>> arguments = findArguments(rule);
  if (!arguments)
    return arguments.error();
  for (Tactic &tactic : whole.tactics)
    if (!isNamed(rule, tactic.axis))
      for (CellId cell : *arguments)
        tactic.entries.push_back(makeEntry(ActionKind::Atomic, cell, std::nullopt, rule.location));
  for (uint32_t dim = 0; dim < rule.dims.size(); ++dim)
    for (const std::string &axis : rule.dims[dim]) {
      if (!mesh.findAxis(axis))
        return Error::badInput(rule.location, "the mesh " + mesh.str() + " has no axis '" + axis + "'")
            .withRemedy("name one of its axes");
      if (mesh.axes[*mesh.findAxis(axis)].size == 1 || arguments->empty())
        continue;
      // Cut off from its uses, a tile affects the argument alone.
      Tactic bind = makeTactic("bind " + std::to_string(number + 1) + " " + axis, axis, rule.location);
      Tactic tactic = makeTactic("rule " + std::to_string(number + 1) + " " + axis, axis, rule.location);
      for (CellId cell : *arguments) {
        bind.entries.push_back(makeEntry(ActionKind::Cut, cell, std::nullopt, rule.location));
        bind.entries.push_back(makeEntry(ActionKind::Tile, cell, dim, rule.location));
        tactic.entries.push_back(makeEntry(ActionKind::Tile, cell, dim, rule.location));
      }
      binds.push_back(std::move(bind));
      tiles.push_back(std::move(tactic));
    }
  return std::nullopt;
}

Result<Schedule> buildSchedule(llvm::ArrayRef<PartitionRule> rules, const Graph &graph, const CellNames &names,
                               const Mesh &mesh) {
  return ScheduleBuilder(rules, graph, names, mesh).run();
}

} // namespace partita::schedule
