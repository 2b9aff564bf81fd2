//===- ShardingDump.cpp - shardings as MaxText writes them ----------------===//

#include "partita/Schedule/ShardingDump.h"

namespace partita::schedule {

using Kind = JsonValue::Kind;

bool isShardingDump(const JsonValue &json) {
  if (json.kind != Kind::Object || json.find("tactics"))
    return false;
  return json.find("logical_axis_rules") || llvm::any_of(json.members, [](const JsonMember &member) {
           return member.value.kind == Kind::Object && member.value.find("partition_spec");
         });
}

namespace {

class DumpReader {
public:
  explicit DumpReader(llvm::StringRef file) : file(file) {}

  Result<ShardingDump> run(const JsonValue &json) {
    Status error = json.find("logical_axis_rules") ? readLogical(json) : readSpecs(json);
    if (error)
      return std::move(*error);
    return std::move(dump);
  }

private:
  struct LogicalRule {
    std::string name;
    std::vector<std::string> axes;
  };

  template <typename At> SourceLocation getLocation(const At &at) const { return {file.str(), at.line, at.column}; }
  template <typename At> Error fail(const At &at, std::string reason, const char *remedy = "") const {
    return Error::badInput(getLocation(at), std::move(reason)).withRemedy(remedy);
  }

  Status readSpecs(const JsonValue &json);
  Status readLogical(const JsonValue &json);
  Status readMesh(const JsonValue &json);
  Status readLogicalRules(const JsonValue &json);
  Status addRule(const JsonMember &array, std::vector<std::vector<std::string>> dims);
  Result<std::vector<std::string>> readAxes(const JsonValue &json) const;
  Result<std::vector<std::vector<std::string>>> resolveNames(const JsonValue &names) const;

  llvm::StringRef file;
  ShardingDump dump;
  /// Axes of size 1.
  std::vector<std::string> ones;
  std::vector<LogicalRule> logicalRules;
};

} // namespace

/// The axes of one dim, without those of size 1.
Result<std::vector<std::string>> DumpReader::readAxes(const JsonValue &json) const {
  std::vector<std::string> axes;
  if (json.kind == Kind::Null)
    return axes;
  if (json.kind != Kind::String && json.kind != Kind::Array)
    return fail(json, "what splits a dim is neither an axis, a list of axes nor null",
                R"(write it as "fsdp", ["fsdp", "tensor"] or null)");
  llvm::ArrayRef<JsonValue> list = json.kind == Kind::Array ? llvm::ArrayRef(json.elements) : llvm::ArrayRef(json);
  for (const JsonValue &axis : list) {
    if (axis.kind != Kind::String)
      return fail(axis, "this is not the name of an axis");
    if (!llvm::is_contained(ones, axis.text))
      axes.push_back(axis.text);
  }
  return axes;
}

/// Every array has a mesh; all must be equal.
Status DumpReader::readMesh(const JsonValue &json) {
  const JsonValue *shape = json.find("shape"), *order = json.find("axis_names");
  if (!shape || shape->kind != Kind::Object)
    return fail(json, "\"mesh\" has no \"shape\"", R"(as in {"axis_names": ["data"], "shape": {"data": 8}})");
  if (order && order->kind != Kind::Array)
    return fail(*order, "\"axis_names\" is not a list");
  Mesh mesh;
  std::vector<std::string> single;
  auto add = [&](llvm::StringRef name, const JsonValue &at) -> Status {
    const JsonValue *size = shape->find(name);
    int64_t number = size ? size->getInteger().value_or(0) : 0;
    if (number < 1)
      return fail(at, "\"shape\" has no size for the axis '" + name.str() + "'");
    if (number == 1)
      single.push_back(name.str());
    else
      mesh.axes.push_back({name.str(), number});
    return std::nullopt;
  };
  for (const JsonMember &member : shape->members)
    if (!order)
      if (Status error = add(member.name, member.value))
        return error;
  if (order)
    for (const JsonValue &name : order->elements)
      if (Status error = add(name.text, name))
        return error;
  if (dump.mesh && !(*dump.mesh == mesh))
    return fail(json, "this mesh is " + mesh.str() + ", but that of arrays before it is " + dump.mesh->str());
  dump.mesh = std::move(mesh);
  ones = std::move(single);
  return std::nullopt;
}

/// A pattern for any parameter's name followed by the entries of the path.
Status DumpReader::addRule(const JsonMember &array, std::vector<std::vector<std::string>> dims) {
  std::string name = array.name;
  llvm::erase(name, '/');
  Result<Pattern> pattern = Pattern::parse("[A-Za-z0-9_]*" + escapePattern(name), getLocation(array));
  if (!pattern)
    return pattern.error();
  PartitionRule rule{*pattern, {}, getLocation(array)};
  for (std::vector<std::string> &axes : dims)
    rule.dims.push_back({std::move(axes)});
  dump.rules.push_back(std::move(rule));
  return std::nullopt;
}

Status DumpReader::readSpecs(const JsonValue &json) {
  for (const JsonMember &array : json.members) {
    const JsonValue *spec = array.value.kind == Kind::Object ? array.value.find("partition_spec") : nullptr;
    if (!spec || spec->kind != Kind::Array)
      return fail(array, "'" + array.name + "' has no \"partition_spec\"",
                  R"(write each array as {"mesh": {...}, "partition_spec": ["fsdp", null]})");
    if (const JsonValue *mesh = array.value.find("mesh"))
      if (Status error = readMesh(*mesh))
        return error;
    std::vector<std::vector<std::string>> dims;
    for (const JsonValue &dim : spec->elements) {
      Result<std::vector<std::string>> axes = readAxes(dim);
      if (!axes)
        return axes.error();
      dims.push_back(std::move(*axes));
    }
    if (Status error = addRule(array, std::move(dims)))
      return error;
  }
  return std::nullopt;
}

Status DumpReader::readLogicalRules(const JsonValue &json) {
  if (json.kind != Kind::Array)
    return fail(json, "\"logical_axis_rules\" is not a list");
  for (const JsonValue &rule : json.elements) {
    if (rule.kind != Kind::Array || rule.elements.size() != 2 || rule.elements[0].kind != Kind::String)
      return fail(rule, "a rule is a pair of a dim's name and axes", R"(as in ["embed", ["fsdp", "tensor"]])");
    Result<std::vector<std::string>> axes = readAxes(rule.elements[1]);
    if (!axes)
      return axes.error();
    logicalRules.push_back({rule.elements[0].text, std::move(*axes)});
  }
  return std::nullopt;
}

Result<std::vector<std::vector<std::string>>> DumpReader::resolveNames(const JsonValue &names) const {
  std::vector<std::vector<std::string>> dims(names.elements.size());
  std::vector<uint8_t> isKnown(names.elements.size());
  std::vector<std::string> used;
  for (const LogicalRule &rule : logicalRules)
    for (auto [dim, name] : llvm::enumerate(names.elements)) {
      bool isUsed = llvm::any_of(rule.axes, [&](const std::string &axis) { return llvm::is_contained(used, axis); });
      if (name.text != rule.name || isKnown[dim] || isUsed)
        continue;
      isKnown[dim] = 1;
      dims[dim] = rule.axes;
      used.insert(used.end(), rule.axes.begin(), rule.axes.end());
    }
  for (auto [dim, name] : llvm::enumerate(names.elements)) {
    bool isName = name.kind == Kind::String || name.kind == Kind::Null;
    bool hasRule = llvm::any_of(logicalRules, [&](const LogicalRule &rule) { return rule.name == name.text; });
    if (!isName || (name.kind == Kind::String && !hasRule))
      return fail(name, isName ? "no rule names the dim '" + name.text + "'" : "this is not the name of a dim",
                  R"(add a rule, ["NAME", null] if it stays whole)");
  }
  return dims;
}

Status DumpReader::readLogical(const JsonValue &json) {
  for (const JsonMember &member : json.members)
    if (member.name != "logical_axis_rules" && member.name != "logical_axes" && member.name != "mesh")
      return fail(member, "unknown key \"" + member.name + "\"", "keys are logical_axis_rules, logical_axes, mesh");
  if (const JsonValue *mesh = json.find("mesh"))
    if (Status error = readMesh(*mesh))
      return error;
  if (Status error = readLogicalRules(*json.find("logical_axis_rules")))
    return error;
  const JsonValue *arrays = json.find("logical_axes");
  if (!arrays || arrays->kind != Kind::Object)
    return fail(json, "there is no \"logical_axes\"",
                R"(give each array's names of dims, as in {".params/['w']": ["embed", "mlp"]})");
  for (const JsonMember &array : arrays->members) {
    if (array.value.kind != Kind::Array)
      return fail(array.value, "'" + array.name + "' has no list of dims' names");
    auto dims = resolveNames(array.value);
    if (!dims)
      return dims.error();
    if (Status error = addRule(array, std::move(*dims)))
      return error;
  }
  return std::nullopt;
}

Result<ShardingDump> readShardingDump(const JsonValue &json, llvm::StringRef file) {
  return DumpReader(file).run(json);
}

} // namespace partita::schedule
