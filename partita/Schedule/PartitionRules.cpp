//===- PartitionRules.cpp - specs by pattern, as JAX users write them -----===//

#include "partita/Schedule/PartitionRules.h"

#include "partita/Graph/SeparatedTies.h"
#include "partita/Support/Spelling.h"

#include "llvm/Support/FormatVariadic.h"

namespace partita::schedule {

static SourceLocation getLocation(const JsonValue &value, llvm::StringRef file) {
  return {file.str(), value.line, value.column};
}

static Error makeError(const JsonValue &value, llvm::StringRef file, std::string reason) {
  return Error::badInput(getLocation(value, file), std::move(reason))
      .withRemedy("write each rule as [\"pattern\", [\"axis\", null, [\"axis\", \"axis\"]]]");
}

/// In place of a dim's last axis: it may take further axes.
static constexpr llvm::StringLiteral openWord = "?";

static Result<PartitionRule::Dim> readDim(const JsonValue &json, llvm::StringRef file) {
  PartitionRule::Dim dim;
  if (json.kind == JsonValue::Kind::Null)
    return dim;
  if (json.kind != JsonValue::Kind::Array && json.kind != JsonValue::Kind::String)
    return makeError(json, file, "a dim's entry is neither an axis, a list of axes nor null");
  bool isList = json.kind == JsonValue::Kind::Array;
  for (const JsonValue &axis : isList ? llvm::ArrayRef(json.elements) : llvm::ArrayRef(json)) {
    if (axis.kind != JsonValue::Kind::String || dim.isOpen)
      return makeError(axis, file, dim.isOpen ? "\"?\" stands last" : "this is not the name of an axis");
    if (axis.text == openWord)
      dim.isOpen = true;
    else
      dim.axes.push_back(axis.text);
  }
  return dim;
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
    Result<PartitionRule::Dim> entry = readDim(dim, file);
    if (!entry)
      return entry.error();
    rule.dims.push_back(std::move(*entry));
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

static void writeDim(const PartitionRule::Dim &dim, llvm::json::OStream &json) {
  if (dim.axes.empty() && !dim.isOpen)
    return json.value(nullptr);
  if (dim.axes.size() == 1 && !dim.isOpen)
    return json.value(dim.axes.front());
  json.array([&] {
    for (const std::string &axis : dim.axes)
      json.value(axis);
    if (dim.isOpen)
      json.value(openWord);
  });
}

void writePartitionRule(const PartitionRule &rule, llvm::json::OStream &json) {
  json.array([&] {
    json.value(rule.pattern.getText());
    json.array([&] {
      for (const PartitionRule::Dim &dim : rule.dims)
        writeDim(dim, json);
    });
  });
}

void writePartitionRules(llvm::ArrayRef<PartitionRule> rules, llvm::json::OStream &json) {
  json.array([&] {
    for (const PartitionRule &rule : rules)
      writePartitionRule(rule, json);
  });
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

namespace {

class Binder {
public:
  Binder(const Mesh &mesh, Graph &graph) : mesh(mesh), graph(graph), names(graph), isBound(graph.cells.size()) {}

  Status bind(const PartitionRule &rule);
  /// Replaces the graph's shardings of the bound values.
  Status finish();
  std::vector<std::string> describeSeparated() const;

private:
  std::vector<CellId> findValues(const PartitionRule &rule) const;
  Result<GivenSharding> makeSharding(const PartitionRule &rule, CellId cell) const;

  const Mesh &mesh;
  Graph &graph;
  CellNames names;
  std::vector<GivenSharding> bound;
  IdVector<CellId, uint8_t> isBound;
};

} // namespace

/// The arguments that the pattern matches; if there are none, results; if there are none, inner values.
std::vector<CellId> Binder::findValues(const PartitionRule &rule) const {
  std::vector<CellId> arguments, results, others;
  for (CellId cell : names.match(rule.pattern)) {
    CellKind kind = graph.cells[cell].kind;
    (kind == CellKind::Argument ? arguments : kind == CellKind::Result ? results : others).push_back(cell);
  }
  return !arguments.empty() ? arguments : !results.empty() ? results : others;
}

Result<GivenSharding> Binder::makeSharding(const PartitionRule &rule, CellId cell) const {
  uint32_t rank = graph.cells[cell].rank;
  std::string name = names.getName(cell);
  if (rule.dims.size() > rank)
    return Error::badInput(rule.location, "the spec has " + std::to_string(rule.dims.size()) + " dims, but " + name +
                                              " has " + std::to_string(rank))
        .withRemedy("put a rule before it that matches this array");
  GivenSharding sharding{cell, std::vector<GivenDim>(rank), {}};
  llvm::SmallVector<llvm::StringRef> seen;
  for (auto [dim, given] : llvm::zip(sharding.dims, rule.dims)) {
    dim.isOpen = given.isOpen;
    for (const std::string &text : given.axes) {
      std::optional<AxisPart> part = parseAxisPart(text);
      std::optional<uint32_t> axis = part ? mesh.findAxis(part->name) : std::nullopt;
      if (!axis)
        return Error::badInput(rule.location, "the mesh " + mesh.str() + " has no axis '" + text + "'")
            .withRemedy(adviseName(part ? part->name : text, mesh.listNames(), "its axes"));
      if (llvm::is_contained(seen, text))
        return Error::badInput(rule.location,
                               llvm::formatv("the spec of {0} names the axis '{1}' twice", name, text).str())
            .withRemedy("an axis splits one dim of an array");
      seen.push_back(text);
      if (mesh.axes[*axis].size > 1)
        dim.axes.push_back(text);
    }
  }
  return sharding;
}

Status Binder::bind(const PartitionRule &rule) {
  std::vector<CellId> values = findValues(rule);
  if (values.empty() && !rule.isOptional) {
    std::optional<std::string> meant = names.findNearest(rule.pattern.getText());
    return Error::badInput(rule.location, "the pattern '" + rule.pattern.getText() + "' matches no argument")
        .withRemedy(meant ? "did you mean '" + *meant + "'?"
                          : "partita plan FILE --stop-after=flatten lists their names");
  }
  for (CellId cell : values) {
    if (isBound[cell])
      continue;
    Result<GivenSharding> sharding = makeSharding(rule, cell);
    if (!sharding && rule.isOptional)
      continue;
    if (!sharding)
      return sharding.error();
    isBound[cell] = 1;
    bound.push_back(std::move(*sharding));
  }
  return std::nullopt;
}

/// Axes of the mesh that the program does not have are added to its own.
Status Binder::finish() {
  llvm::erase_if(graph.shardings, [&](const GivenSharding &sharding) { return isBound[sharding.cell] != 0; });
  llvm::append_range(graph.shardings, bound);
  for (const MeshAxis &axis : mesh.axes)
    if (axis.size > 1 && llvm::none_of(graph.mesh, [&](const GivenAxis &own) { return own.name == axis.name; }))
      graph.mesh.push_back({axis.name, axis.size});
  for (const GivenSharding &sharding : bound)
    if (Status error = verifyGivenSharding(sharding, graph.cells[sharding.cell].rank, graph.mesh))
      return Error::badInput({}, "the spec of " + names.getName(sharding.cell) + ": " + error->reason);
  return std::nullopt;
}

std::vector<std::string> Binder::describeSeparated() const {
  size_t count = 0;
  CellId first;
  for (auto [tie, isSeparated] : llvm::zip_equal(graph.ties, findSeparatedTies(graph))) {
    bool isNew = isBound[tie.argument] || isBound[tie.result];
    if (isNew && isSeparated && count++ == 0)
      first = tie.argument;
  }
  if (count == 0)
    return {};
  std::string others = count > 1 ? " and " + std::to_string(count - 1) + " more arguments" : "";
  return {names.getName(first) + others + " come back with another sharding than they are given with: each step " +
          "moves them, and their buffers are not reused"};
}

Result<std::vector<std::string>> bindPartitionRules(llvm::ArrayRef<PartitionRule> rules, const Mesh &mesh,
                                                    Graph &graph) {
  if (rules.empty())
    return std::vector<std::string>();
  Binder binder(mesh, graph);
  for (const PartitionRule &rule : rules)
    if (Status error = binder.bind(rule))
      return std::move(*error);
  if (Status error = binder.finish())
    return std::move(*error);
  return binder.describeSeparated();
}

} // namespace partita::schedule
