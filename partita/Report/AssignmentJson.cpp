//===- AssignmentJson.cpp - an assignment as JSON -------------------------===//

#include "partita/Report/AssignmentJson.h"

#include "partita/Graph/GraphNames.h"
#include "partita/Graph/RulePool.h"

#include "llvm/Support/JSON.h"

namespace partita::report {

using Json = llvm::json::OStream;

namespace {

class AssignmentWriter {
public:
  AssignmentWriter(const Assignment &assignment, const CellNames &names, llvm::raw_ostream &out)
      : assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        axes(assignment.getAxes()), names(names), out(out) {}

  void write(llvm::ArrayRef<Conflict> conflicts);

private:
  /// One entry per line, for diffs and readers.
  template <typename Range, typename Write> void writeList(llvm::StringRef key, const Range &range, Write write);
  void writeSharding(llvm::StringRef key, const Sharding &sharding, Json &json);
  /// Names of the axes in `mask`.
  void writeAxes(llvm::StringRef key, uint32_t mask, Json &json);
  void writeCell(CellId cell, Json &json);
  void writePins(CellId cell, Json &json);
  void writeOp(OpId op, Json &json);
  void writeConflict(const Conflict &conflict, Json &json);
  uint32_t getPartialAxes(CellId cell) const;
  bool isOpen(const Conflict &conflict) const;

  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  const Axes &axes;
  const CellNames &names;
  llvm::raw_ostream &out;
};

} // namespace

template <typename Range, typename Write>
void AssignmentWriter::writeList(llvm::StringRef key, const Range &range, Write write) {
  out << ",\n\"" << key << "\": [";
  llvm::StringRef separator = "\n";
  for (const auto &entry : range) {
    out << std::exchange(separator, ",\n");
    Json json(out);
    json.object([&] { write(entry, json); });
  }
  out << "]";
}

void AssignmentWriter::writeSharding(llvm::StringRef key, const Sharding &sharding, Json &json) {
  json.attributeArray(key, [&] {
    for (const DimAxes &dim : sharding.dims)
      json.array([&] {
        for (const std::string &name : getNames(axes, dim))
          json.value(name);
      });
  });
}

void AssignmentWriter::writeAxes(llvm::StringRef key, uint32_t mask, Json &json) {
  if (mask == 0)
    return;
  json.attributeArray(key, [&] {
    for (AxisId axis : idRange<AxisId>(axes.size()))
      if (mask >> axis.get() & 1)
        json.value(axes.getName(axis));
  });
}

uint32_t AssignmentWriter::getPartialAxes(CellId cell) const {
  uint32_t mask = 0;
  for (AxisId axis : idRange<AxisId>(axes.size()))
    mask |= uint32_t(assignment.isPartialSum(cell, axis)) << axis.get();
  return mask;
}

void AssignmentWriter::writePins(CellId cell, Json &json) {
  uint32_t tiled = 0, whole = 0;
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    PinKind kind = assignment.getPin(topology.getRepresentative(cell), axis).kind;
    tiled |= uint32_t(kind == PinKind::Tile) << axis.get();
    whole |= uint32_t(kind == PinKind::Atomic) << axis.get();
  }
  writeAxes("tile", tiled, json);
  writeAxes("atomic", whole, json);
}

void AssignmentWriter::writeCell(CellId cell, Json &json) {
  json.attribute("cell", cell.get());
  json.attribute("name", names.getName(cell));
  json.attributeArray("shape", [&] {
    for (int64_t size : graph.getShape(cell))
      json.value(size);
  });
  writeSharding("sharding", assignment.getCellSharding(cell), json);
  writeAxes("partial", getPartialAxes(cell), json);
  writePins(cell, json);
}

/// The letter of each factor in the printed rule: letters are given in order of first appearance.
static llvm::SmallVector<std::string> findLetters(Rule rule) {
  llvm::SmallVector<std::string> letters(rule.factors.size());
  uint32_t next = 0;
  auto name = [&](const ValueFactors &value) {
    for (const DimFactors &dim : value)
      for (uint8_t factor : dim)
        if (letters[factor].empty()) {
          letters[factor] = next < 26 ? std::string(1, char('a' + next)) : "z" + std::to_string(next - 25);
          ++next;
        }
  };
  llvm::for_each(rule.operands, name);
  llvm::for_each(rule.results, name);
  return letters;
}

void AssignmentWriter::writeOp(OpId op, Json &json) {
  const Op &info = graph.ops[op];
  NodeId node = topology.getNode(op);
  Rule rule = buildRule(graph, op);
  llvm::SmallVector<std::string> letters = findLetters(rule);
  json.attribute("op", op.get());
  json.attribute("kind", graph.getName(info.opName));
  if (info.role != IdentityRole::None)
    json.attribute("role", getWord(info.role));
  json.attribute("phase", getWord(info.phase));
  json.attribute("name", graph.getFullName(info.name, info.occurrence));
  json.attribute("rule", printRule(rule));
  json.attributeObject("splits", [&] {
    for (AxisId axis : idRange<AxisId>(axes.size()))
      if (uint8_t factor = assignment.getFactor(node, axis); factor != noFactor)
        json.attribute(axes.getName(axis), factor == sumFactor ? "sum" : letters[factor]);
  });
}

void AssignmentWriter::writeConflict(const Conflict &conflict, Json &json) {
  json.attribute("axis", axes.getName(conflict.axis));
  json.attributeArray("ops", [&] {
    for (NodeId node : conflict.nodes)
      if (topology.isOp(node))
        json.value(node.get());
  });
  json.attributeArray("cells", [&] {
    for (NodeId node : conflict.nodes)
      if (!topology.isOp(node))
        json.value(topology.getBoundaryCell(node).get());
  });
  json.attributeArray("sides", [&] {
    for (const ConflictSide &side : conflict.sides)
      json.array([&] {
        for (DimId dim : side.dims)
          json.array([&] {
            json.value(topology.getCell(dim).get());
            json.value(topology.getDimNumber(dim));
          });
      });
  });
}

/// A later step may have decided what an earlier one could not.
bool AssignmentWriter::isOpen(const Conflict &conflict) const {
  return llvm::any_of(conflict.nodes,
                      [&](NodeId node) { return assignment.getFactor(node, conflict.axis) == noFactor; });
}

/// Several steps may meet one conflict.
static bool isSame(const Conflict &a, const Conflict &b) { return a.axis == b.axis && a.nodes == b.nodes; }

void AssignmentWriter::write(llvm::ArrayRef<Conflict> conflicts) {
  out << "{\"partita_assignment\": 1,\n\"mesh\": ";
  Json(out).value(axes.mesh.str());
  out << ",\n\"axes\": ";
  {
    Json json(out);
    json.array([&] {
      for (AxisId axis : idRange<AxisId>(axes.size()))
        json.value(axes.getName(axis));
    });
  }
  auto writeOneCell = [&](CellId cell, Json &json) { writeCell(cell, json); };
  writeList("arguments", graph.arguments, writeOneCell);
  writeList("results", graph.results, writeOneCell);
  std::vector<CellId> inner;
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    if (CellKind kind = graph.cells[cell].kind; kind != CellKind::Argument && kind != CellKind::Result)
      inner.push_back(cell);
  writeList("cells", inner, writeOneCell);
  writeList("ops", idRange<OpId>(graph.ops.size()), [&](OpId op, Json &json) { writeOp(op, json); });
  std::vector<Conflict> open;
  for (const Conflict &conflict : conflicts)
    if (isOpen(conflict) && !llvm::any_of(open, [&](const Conflict &other) { return isSame(conflict, other); }))
      open.push_back(conflict);
  writeList("conflicts", open, [&](const Conflict &conflict, Json &json) { writeConflict(conflict, json); });
  out << "}\n";
}

void writeAssignment(const Assignment &assignment, llvm::ArrayRef<Conflict> conflicts, const CellNames &names,
                     llvm::raw_ostream &out) {
  AssignmentWriter(assignment, names, out).write(conflicts);
}

std::string printAssignment(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream out(text);
  writeAssignment(plan.assignment, plan.outcome.conflicts, plan.program.names, out);
  return text;
}

} // namespace partita::report
