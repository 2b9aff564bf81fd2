//===- GraphWriter.cpp - writes the flat program as JSON ------------------===//

#include "partita/Graph/GraphJson.h"
#include "partita/Graph/GraphNames.h"
#include "partita/Graph/RulePool.h"
#include "partita/Support/JsonList.h"

namespace partita::graph {

using Json = llvm::json::OStream;

static void writeName(Json &json, const Graph &graph, llvm::StringRef key, NameId name) {
  if (name.isValid())
    json.attribute(key, graph.names[name]);
}

template <typename Range, typename Get>
static void writeArray(Json &json, llvm::StringRef key, const Range &range, Get get) {
  json.attributeArray(key, [&] {
    for (const auto &entry : range)
      json.value(get(entry));
  });
}

static void writeOccurrence(Json &json, uint32_t occurrence) {
  if (occurrence != noOccurrence)
    json.attribute("occurrence", occurrence);
}

static void writeRegion(Json &json, const Graph &graph, RegionId id) {
  const Region &region = graph.regions[id];
  json.attribute("kind", getWord(region.kind));
  if (region.parent.isValid())
    json.attribute("parent", region.parent.get());
  json.attribute("trips", region.trips);
  writeName(json, graph, "place", region.location);
}

static void writeCell(Json &json, const Graph &graph, CellId id) {
  const Cell &cell = graph.cells[id];
  json.attribute("kind", getWord(cell.kind));
  writeName(json, graph, "type", cell.element);
  json.attribute("bits", cell.elementBits);
  writeArray(json, "shape", graph.getShape(id), [](int64_t size) { return size; });
  json.attribute("region", cell.region.get());
  json.attribute("number", cell.number);
  writeName(json, graph, "name", cell.name);
  writeOccurrence(json, cell.occurrence);
  writeName(json, graph, "place", cell.location);
}

/// Whether the sizes of factors follow from the shapes, so that the text alone determines the rule.
static bool followsFromShapes(const Graph &graph, OpId op, const Rule &rule, llvm::StringRef text) {
  auto shapesOf = [&](llvm::ArrayRef<CellId> cells) {
    std::vector<llvm::SmallVector<int64_t>> shapes;
    for (CellId cell : cells)
      shapes.emplace_back(graph.getShape(cell));
    return shapes;
  };
  Result<Rule> parsed =
      parseRule(text, shapesOf(graph.getOperands(op)), shapesOf(graph.getResults(op)), SourceLocation{});
  return parsed && *parsed == rule;
}

static void writeOp(Json &json, const Graph &graph, OpId id) {
  const Op &op = graph.ops[id];
  auto getId = [](CellId cell) { return cell.get(); };
  writeName(json, graph, "kind", op.opName);
  json.attribute("class", getWord(op.opClass));
  json.attribute("role", getWord(op.role));
  json.attribute("phase", getWord(op.phase));
  json.attribute("linearity", getWord(op.linearity));
  if (op.precision != Precision::Default)
    json.attribute("precision", getWord(op.precision));
  json.attribute("region", op.region.get());
  json.attribute("source", op.source);
  json.attribute("flops", op.flops);
  writeArray(json, "operands", graph.getOperands(id), getId);
  writeArray(json, "results", graph.getResults(id), getId);
  Rule rule = buildRule(graph, id);
  std::string text = printRule(rule);
  json.attribute("rule", text);
  if (!followsFromShapes(graph, id, rule, text))
    writeArray(json, "sizes", rule.factors, [](const Factor &factor) { return factor.size; });
  writeName(json, graph, "name", op.name);
  writeOccurrence(json, op.occurrence);
  writeName(json, graph, "place", op.location);
}

static void writeTuple(Json &json, std::initializer_list<int64_t> numbers) {
  json.array([&] {
    for (int64_t number : numbers)
      json.value(number);
  });
}

static void writeNames(Json &json, llvm::StringRef key, llvm::ArrayRef<std::string> names) {
  if (!names.empty())
    writeArray(json, key, names, [](const std::string &name) { return llvm::StringRef(name); });
}

static void writeGivenDim(Json &json, const GivenDim &dim) {
  writeNames(json, "axes", dim.axes);
  if (dim.isOpen)
    json.attribute("open", true);
  if (dim.priority)
    json.attribute("priority", *dim.priority);
}

static void writeGivenSharding(Json &json, const GivenSharding &sharding) {
  json.attribute("cell", sharding.cell.get());
  json.attributeArray("dims", [&] {
    for (const GivenDim &dim : sharding.dims)
      json.object([&] { writeGivenDim(json, dim); });
  });
  writeNames(json, "replicated", sharding.replicated);
}

void writeGraph(const Graph &graph, llvm::raw_ostream &out) {
  out << "{\"partita_graph\": 1,\n\"program\": ";
  Json program(out);
  program.object([&] {
    program.attribute("name", graph.programName);
    program.attribute("sha256", graph.programSha256);
  });
  writeJsonList(out, "regions", idRange<RegionId>(graph.regions.size()),
                [&](Json &json, RegionId id) { json.object([&] { writeRegion(json, graph, id); }); });
  writeJsonList(out, "cells", idRange<CellId>(graph.cells.size()),
                [&](Json &json, CellId id) { json.object([&] { writeCell(json, graph, id); }); });
  writeJsonList(out, "ops", idRange<OpId>(graph.ops.size()),
                [&](Json &json, OpId id) { json.object([&] { writeOp(json, graph, id); }); });
  writeJsonList(out, "ties", graph.ties,
                [](Json &json, const Tie &tie) { writeTuple(json, {tie.argument.get(), tie.result.get()}); });
  writeJsonList(out, "donated", graph.donated, [](Json &json, CellId cell) { json.value(cell.get()); });
  writeJsonList(out, "stepped", graph.steppedDims, [](Json &json, const SteppedDim &step) {
    writeTuple(json, {step.cell.get(), step.dim, step.loop.get()});
  });
  writeJsonList(out, "boundaries", graph.boundaries, [](Json &json, const SplitBoundary &boundary) {
    writeTuple(json, {boundary.cell.get(), boundary.dim, boundary.stride});
  });
  writeJsonList(out, "mesh", graph.mesh, [](Json &json, const GivenAxis &axis) {
    json.array([&] {
      json.value(axis.name);
      json.value(axis.size);
    });
  });
  writeJsonList(out, "shardings", graph.shardings, [](Json &json, const GivenSharding &sharding) {
    json.object([&] { writeGivenSharding(json, sharding); });
  });
  out << "}\n";
}

std::string printGraph(const Graph &graph) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeGraph(graph, out);
  return text;
}

} // namespace partita::graph
