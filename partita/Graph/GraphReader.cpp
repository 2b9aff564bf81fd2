//===- GraphReader.cpp - reads the flat program from JSON -----------------===//

#include "partita/Graph/GraphJson.h"
#include "partita/Graph/GraphNames.h"
#include "partita/Graph/RulePool.h"
#include "partita/Support/Json.h"
#include "partita/Support/Spelling.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

namespace partita::graph {

namespace {

/// Reads the members of one object; keeps the first error with its location.
class GraphReader {
public:
  explicit GraphReader(llvm::StringRef file) : file(file) {}

  Result<Graph> run(llvm::StringRef text);

private:
  void readTop(const JsonValue &top);
  void readRegion(const JsonValue &json);
  void readCell(const JsonValue &json);
  void readOp(const JsonValue &json);
  void readRule(const JsonValue &json, OpId id);
  void readMeshAxis(const JsonValue &json);
  GivenDim readGivenDim(const JsonValue &json);
  void readSharding(const JsonValue &json);
  void collectBoundary();

  const JsonValue *member(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind, bool isRequired);
  int64_t integer(const JsonValue &json, llvm::StringRef key, int64_t fallback, bool isRequired);
  NameId name(const JsonValue &json, llvm::StringRef key);
  template <typename Enum> Enum word(const JsonValue &json, llvm::StringRef key, Enum fallback);
  std::vector<int64_t> integers(const JsonValue &json, llvm::StringRef key, bool isRequired);
  std::vector<std::string> strings(const JsonValue &json, llvm::StringRef key);
  std::vector<int64_t> tuple(const JsonValue &json, size_t size);
  void refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known);
  CellId cell(const JsonValue &json, int64_t number);

  void fail(const JsonValue &at, const std::string &reason) {
    if (!error)
      error = Error::badInput(SourceLocation{file.str(), at.line, at.column}, reason);
  }

  llvm::StringRef file;
  Graph graph;
  RulePool pool{graph};
  ShapePool shapes{graph};
  llvm::StringMap<NameId> nameIds;
  std::optional<Error> error;
};

} // namespace

const JsonValue *GraphReader::member(const JsonValue &json, llvm::StringRef key, JsonValue::Kind kind,
                                     bool isRequired) {
  const JsonValue *found = json.find(key);
  if (!found) {
    if (isRequired)
      fail(json, "the member \"" + key.str() + "\" is missing");
    return nullptr;
  }
  if (found->kind == kind)
    return found;
  fail(*found, "\"" + key.str() + "\" has the wrong kind of value");
  return nullptr;
}

int64_t GraphReader::integer(const JsonValue &json, llvm::StringRef key, int64_t fallback, bool isRequired) {
  const JsonValue *found = member(json, key, JsonValue::Kind::Number, isRequired);
  if (!found)
    return fallback;
  if (std::optional<int64_t> value = found->getInteger())
    return *value;
  fail(*found, "\"" + key.str() + "\" must be a whole number");
  return fallback;
}

NameId GraphReader::name(const JsonValue &json, llvm::StringRef key) {
  const JsonValue *found = member(json, key, JsonValue::Kind::String, /*isRequired=*/false);
  if (!found)
    return NameId();
  auto [it, isNew] = nameIds.try_emplace(found->text, NameId());
  if (isNew)
    it->second = graph.names.push_back(found->text);
  return it->second;
}

template <typename Enum> Enum GraphReader::word(const JsonValue &json, llvm::StringRef key, Enum fallback) {
  const JsonValue *found = member(json, key, JsonValue::Kind::String, /*isRequired=*/false);
  if (!found)
    return fallback;
  if (std::optional<Enum> value = findWord<Enum>(found->text))
    return *value;
  fail(*found, "\"" + found->text + "\" is no " + key.str() + "; known are " +
                   llvm::join(llvm::ArrayRef(EnumWords<Enum>::words), ", "));
  return fallback;
}

std::vector<int64_t> GraphReader::integers(const JsonValue &json, llvm::StringRef key, bool isRequired) {
  const JsonValue *found = member(json, key, JsonValue::Kind::Array, isRequired);
  return found ? tuple(*found, found->elements.size()) : std::vector<int64_t>();
}

std::vector<int64_t> GraphReader::tuple(const JsonValue &json, size_t size) {
  std::vector<int64_t> numbers;
  if (json.kind != JsonValue::Kind::Array || json.elements.size() != size)
    fail(json, "expected a list of " + std::to_string(size) + " numbers");
  for (const JsonValue &element : json.elements) {
    std::optional<int64_t> number = element.getInteger();
    if (!number)
      fail(element, "expected a whole number");
    numbers.push_back(number.value_or(0));
  }
  numbers.resize(size);
  return numbers;
}

std::vector<std::string> GraphReader::strings(const JsonValue &json, llvm::StringRef key) {
  std::vector<std::string> texts;
  if (const JsonValue *found = member(json, key, JsonValue::Kind::Array, /*isRequired=*/false))
    for (const JsonValue &element : found->elements) {
      if (element.kind != JsonValue::Kind::String)
        fail(element, "expected a string");
      texts.push_back(element.text);
    }
  return texts;
}

void GraphReader::refuseOthers(const JsonValue &json, llvm::ArrayRef<llvm::StringRef> known) {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json, "expected an object");
  for (const JsonMember &entry : json.members)
    if (!llvm::is_contained(known, entry.name) && !error)
      error =
          Error::badInput(SourceLocation{file.str(), entry.line, entry.column}, "unknown member \"" + entry.name + "\"")
              .withRemedy(adviseName(entry.name, known, "known"));
}

CellId GraphReader::cell(const JsonValue &json, int64_t number) {
  if (number >= 0 && number < static_cast<int64_t>(graph.cells.size()))
    return CellId(static_cast<uint32_t>(number));
  fail(json, "there is no cell " + std::to_string(number));
  return CellId(0);
}

void GraphReader::readRegion(const JsonValue &json) {
  refuseOthers(json, {"kind", "parent", "trips", "place"});
  Region region;
  region.kind = word(json, "kind", RegionKind::Program);
  if (int64_t parent = integer(json, "parent", -1, false); parent >= 0)
    region.parent = RegionId(static_cast<uint32_t>(parent));
  region.trips = integer(json, "trips", 1, false);
  region.location = name(json, "place");
  graph.regions.push_back(region);
}

void GraphReader::readCell(const JsonValue &json) {
  refuseOthers(json, {"kind", "type", "bits", "shape", "region", "number", "name", "occurrence", "place"});
  Cell cell;
  cell.kind = word(json, "kind", CellKind::OpResult);
  cell.element = name(json, "type");
  cell.elementBits = static_cast<uint32_t>(integer(json, "bits", 0, true));
  std::vector<int64_t> shape = integers(json, "shape", true);
  cell.rank = shape.size();
  cell.firstDim = shapes.add(shape);
  cell.region = RegionId(static_cast<uint32_t>(integer(json, "region", 0, false)));
  cell.number = static_cast<uint32_t>(integer(json, "number", 0, false));
  cell.name = name(json, "name");
  cell.occurrence = static_cast<uint32_t>(integer(json, "occurrence", noOccurrence, false));
  cell.location = name(json, "place");
  graph.cells.push_back(cell);
}

void GraphReader::readRule(const JsonValue &json, OpId id) {
  const JsonValue *text = member(json, "rule", JsonValue::Kind::String, /*isRequired=*/true);
  if (!text || error)
    return;
  auto shapesOf = [&](llvm::ArrayRef<CellId> cells) {
    std::vector<llvm::SmallVector<int64_t>> shapes;
    for (CellId cell : cells)
      shapes.emplace_back(graph.getShape(cell));
    return shapes;
  };
  std::vector<int64_t> sizes = integers(json, "sizes", false);
  Result<Rule> rule = parseRule(text->text, shapesOf(graph.getOperands(id)), shapesOf(graph.getResults(id)),
                                SourceLocation{file.str(), text->line, text->column}, sizes);
  if (!rule) {
    error = rule.error();
    return;
  }
  pool.add(*rule).setOn(graph.ops[id]);
}

void GraphReader::readOp(const JsonValue &json) {
  refuseOthers(json, {"kind", "class", "role", "phase", "linearity", "precision", "region", "source", "flops",
                      "operands", "results", "rule", "sizes", "name", "occurrence", "place"});
  Op op;
  op.opClass = word(json, "class", OpClass::Opaque);
  op.role = word(json, "role", IdentityRole::None);
  op.phase = word(json, "phase", Phase::Forward);
  op.linearity = word(json, "linearity", Linearity::None);
  op.precision = word(json, "precision", Precision::Default);
  op.region = RegionId(static_cast<uint32_t>(integer(json, "region", 0, false)));
  op.source = static_cast<uint32_t>(integer(json, "source", 0, false));
  op.flops = integer(json, "flops", 0, false);
  op.firstUse = graph.uses.size();
  op.firstDefinition = graph.definitions.size();
  for (int64_t number : integers(json, "operands", true))
    graph.uses.push_back(cell(json, number));
  for (int64_t number : integers(json, "results", true))
    graph.definitions.push_back(cell(json, number));
  op.numUses = graph.uses.size() - op.firstUse;
  op.numDefinitions = graph.definitions.size() - op.firstDefinition;
  OpId id = graph.ops.push_back(op);
  graph.setOpName(id, name(json, "kind"));
  if (!error)
    readRule(json, id);
  graph.ops[id].name = name(json, "name");
  graph.ops[id].occurrence = static_cast<uint32_t>(integer(json, "occurrence", noOccurrence, false));
  graph.ops[id].location = name(json, "place");
}

void GraphReader::readMeshAxis(const JsonValue &json) {
  auto isPair = json.kind == JsonValue::Kind::Array && json.elements.size() == 2 &&
                json.elements[0].kind == JsonValue::Kind::String && json.elements[1].getInteger();
  if (!isPair)
    return fail(json, "expected an axis and its size, as [\"data\", 4]");
  graph.mesh.push_back({json.elements[0].text, *json.elements[1].getInteger()});
}

GivenDim GraphReader::readGivenDim(const JsonValue &json) {
  refuseOthers(json, {"axes", "open", "priority"});
  GivenDim dim;
  dim.axes = strings(json, "axes");
  if (const JsonValue *open = member(json, "open", JsonValue::Kind::Bool, /*isRequired=*/false))
    dim.isOpen = open->boolean;
  if (json.find("priority"))
    dim.priority = integer(json, "priority", 0, false);
  return dim;
}

void GraphReader::readSharding(const JsonValue &json) {
  refuseOthers(json, {"cell", "dims", "replicated"});
  GivenSharding sharding;
  sharding.cell = cell(json, integer(json, "cell", -1, true));
  if (const JsonValue *dims = member(json, "dims", JsonValue::Kind::Array, /*isRequired=*/true))
    for (const JsonValue &dim : dims->elements)
      sharding.dims.push_back(readGivenDim(dim));
  sharding.replicated = strings(json, "replicated");
  graph.shardings.push_back(std::move(sharding));
}

/// Arguments and results are the cells of those kinds, in the order of their numbers.
void GraphReader::collectBoundary() {
  for (CellId id : idRange<CellId>(graph.cells.size())) {
    if (graph.cells[id].kind == CellKind::Argument)
      graph.arguments.push_back(id);
    if (graph.cells[id].kind == CellKind::Result)
      graph.results.push_back(id);
  }
  auto byNumber = [&](CellId a, CellId b) {
    return std::pair(graph.cells[a].number, a) < std::pair(graph.cells[b].number, b);
  };
  llvm::sort(graph.arguments, byNumber);
  llvm::sort(graph.results, byNumber);
}

void GraphReader::readTop(const JsonValue &top) {
  refuseOthers(top, {"partita_graph", "program", "regions", "cells", "ops", "ties", "donated", "stepped", "boundaries",
                     "mesh", "shardings"});
  if (!error && integer(top, "partita_graph", 0, true) != 1)
    fail(top, "this is no partita_graph of version 1");
  if (const JsonValue *program = member(top, "program", JsonValue::Kind::Object, false)) {
    if (const JsonValue *text = member(*program, "name", JsonValue::Kind::String, false))
      graph.programName = text->text;
    if (const JsonValue *text = member(*program, "sha256", JsonValue::Kind::String, false))
      graph.programSha256 = text->text;
  }
  auto each = [&](llvm::StringRef key, bool isRequired, auto read) {
    if (const JsonValue *list = member(top, key, JsonValue::Kind::Array, isRequired))
      for (const JsonValue &element : list->elements)
        if (!error)
          read(element);
  };
  each("regions", true, [&](const JsonValue &json) { readRegion(json); });
  each("cells", true, [&](const JsonValue &json) { readCell(json); });
  each("ops", true, [&](const JsonValue &json) { readOp(json); });
  each("ties", false, [&](const JsonValue &json) {
    std::vector<int64_t> pair = tuple(json, 2);
    graph.ties.push_back({cell(json, pair[0]), cell(json, pair[1])});
  });
  each("donated", false,
       [&](const JsonValue &json) { graph.donated.push_back(cell(json, json.getInteger().value_or(-1))); });
  each("stepped", false, [&](const JsonValue &json) {
    std::vector<int64_t> step = tuple(json, 3);
    graph.steppedDims.push_back(
        {cell(json, step[0]), static_cast<uint32_t>(step[1]), RegionId(static_cast<uint32_t>(step[2]))});
  });
  each("boundaries", false, [&](const JsonValue &json) {
    std::vector<int64_t> entry = tuple(json, 3);
    graph.boundaries.push_back({cell(json, entry[0]), static_cast<uint32_t>(entry[1]), entry[2]});
  });
  each("mesh", false, [&](const JsonValue &json) { readMeshAxis(json); });
  each("shardings", false, [&](const JsonValue &json) { readSharding(json); });
  collectBoundary();
}

Result<Graph> GraphReader::run(llvm::StringRef text) {
  Result<JsonValue> top = parseJson(text, file);
  if (!top)
    return top.error();
  readTop(*top);
  if (!error)
    if (Status wrong = verifyGraph(graph)) {
      wrong->location.file = file.str();
      error = std::move(*wrong);
    }
  if (error)
    return std::move(*error);
  return std::move(graph);
}

Result<Graph> readGraph(llvm::StringRef text, llvm::StringRef file) { return GraphReader(file).run(text); }

} // namespace partita::graph
