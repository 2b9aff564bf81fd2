//===- TacticReport.cpp - what a tactic did, for its user -----------------===//

#include "partita/Schedule/TacticReport.h"

#include "partita/Graph/Paths.h"

#include "llvm/ADT/BitVector.h"

#include <algorithm>
#include <map>
#include <set>

namespace partita::schedule {

std::string printType(const Graph &graph, CellId cell) {
  std::string text = "tensor<";
  for (int64_t size : graph.getShape(cell))
    text += std::to_string(size) + "x";
  return text + graph.getName(graph.cells[cell].element).str() + ">";
}

namespace {

/// Builds the report of one tactic.
class TacticDescription {
public:
  TacticDescription(const TacticTrace &trace, const Assignment &assignment, const CellNames &names,
                    TacticReport &report)
      : trace(trace), assignment(assignment), topology(assignment.getTopology()), graph(assignment.getGraph()),
        axes(assignment.getAxes()), names(names), report(report) {}

  void run() {
    report.numOps = graph.ops.size();
    countOps();
    collectTiled();
    collectConflicts();
    collectStops();
    collectWhole();
  }

private:
  void countOps();
  bool wasSplit(CellId cell) const;
  void collectTiled();
  void collectConflicts();
  void addConflict(const Conflict &conflict);
  DimId chooseDim(const Conflict &conflict, const ConflictSide &side) const;
  void addOps(const Conflict &conflict, ConflictReport &entry) const;
  void collectStops();
  std::string explainStop(OpFactorId opFactor, AxisId axis) const;
  void collectWhole();
  void addCell(std::vector<CellGroup> &groups, std::map<std::string, size_t> &known, CellId cell);

  const TacticTrace &trace;
  const Assignment &assignment;
  const Topology &topology;
  const Graph &graph;
  const Axes &axes;
  const CellNames &names;
  TacticReport &report;
  /// Similar conflicts by what they have in common; for each of them and each side, the names of its cells.
  std::map<std::string, size_t> conflictNumbers;
  std::vector<std::vector<std::vector<std::string>>> conflictNames;
};

} // namespace

void TacticDescription::countOps() {
  llvm::BitVector ops(graph.ops.size());
  for (const TacticTrace::Split &split : trace.splits)
    if (topology.isOp(split.node))
      ops.set(topology.getOp(split.node).get());
  report.numSplitOps = ops.count();
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

void TacticDescription::addCell(std::vector<CellGroup> &groups, std::map<std::string, size_t> &known, CellId cell) {
  CellGroup group;
  group.name = collapseNumbers(names.getName(cell));
  group.type = printType(graph, cell);
  Sharding sharding = assignment.getCellSharding(cell);
  group.sharding = printSharding(axes, sharding);
  auto [it, isNew] = known.try_emplace(group.name + group.type + group.sharding, groups.size());
  if (isNew)
    groups.push_back(std::move(group));
  CellGroup &found = groups[it->second];
  int64_t parts = 1;
  for (const DimAxes &dim : sharding.dims)
    for (AxisId axis : dim)
      parts *= axes[axis].size;
  ++found.count;
  found.bytes += graph.getBytes(cell);
  found.localBytes += graph.getBytes(cell) / parts;
}

/// Whether one of the tactic's steps put an axis on the cell.
bool TacticDescription::wasSplit(CellId cell) const {
  cell = topology.getRepresentative(cell);
  NodeId node = topology.getBoundaryNode(cell);
  if (!node.isValid() && topology.getDefinition(cell).isValid())
    node = topology.getNode(topology.getDefinition(cell));
  for (const DimAxes &dim : assignment.getCellSharding(cell).dims)
    for (AxisId axis : dim) {
      bool isPinned = assignment.getPin(cell, axis).kind == PinKind::Tile;
      if (!isPinned && !node.isValid())
        continue;
      uint32_t step = isPinned ? assignment.getPinStep(cell, axis) : assignment.getStep(node, axis);
      if (step >= trace.firstStep && step < trace.endStep)
        return true;
    }
  return false;
}

void TacticDescription::collectTiled() {
  std::map<std::string, size_t> known;
  for (CellId cell : graph.arguments)
    if (wasSplit(cell))
      addCell(report.tiled, known, cell);
  for (CellId cell : graph.results)
    if (topology.getRepresentative(cell) == cell && wasSplit(cell))
      addCell(report.tiled, known, cell);
  std::set<CellId> inner;
  for (CellId cell : trace.tiled)
    if (graph.cells[cell].kind != CellKind::Argument && graph.cells[cell].kind != CellKind::Result)
      inner.insert(cell);
  for (CellId cell : inner)
    addCell(report.tiled, known, cell);
}

void TacticDescription::collectWhole() {
  std::map<std::string, size_t> known;
  for (CellId cell : graph.arguments)
    if (assignment.getCellSharding(cell).isReplicated())
      addCell(report.wholeArguments, known, cell);
  llvm::sort(report.wholeArguments, [](const CellGroup &a, const CellGroup &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : std::tie(a.name, a.type) < std::tie(b.name, b.type);
  });
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

/// A dim that no other side has; if possible of an argument or result, which the user knows best.
DimId TacticDescription::chooseDim(const Conflict &conflict, const ConflictSide &side) const {
  auto rank = [&](DimId dim) {
    bool isShared = llvm::any_of(conflict.sides, [&](const ConflictSide &other) {
      return &other != &side && std::binary_search(other.dims.begin(), other.dims.end(), dim);
    });
    CellKind kind = graph.cells[topology.getCell(dim)].kind;
    return 2 * isShared + (kind != CellKind::Argument && kind != CellKind::Result);
  };
  return *std::min_element(side.dims.begin(), side.dims.end(), [&](DimId a, DimId b) { return rank(a) < rank(b); });
}

void TacticDescription::addOps(const Conflict &conflict, ConflictReport &entry) const {
  constexpr size_t maxOps = 3;
  for (NodeId node : conflict.nodes) {
    if (!topology.isOp(node) || entry.ops.size() == maxOps)
      continue;
    const Op &op = graph.ops[topology.getOp(node)];
    std::string text =
        (op.location.isValid() ? graph.getName(op.location).str() + " " : "") + graph.getName(op.opName).str();
    if (!llvm::is_contained(entry.ops, text))
      entry.ops.push_back(text);
  }
}

void TacticDescription::addConflict(const Conflict &conflict) {
  std::string key = axes.getName(conflict.axis);
  std::vector<std::string> sideNames;
  std::vector<ConflictReport::Side> sides;
  for (const ConflictSide &side : conflict.sides) {
    DimId dim = chooseDim(conflict, side);
    CellId cell = topology.getCell(dim);
    std::string name = names.getName(cell);
    sideNames.push_back(graph.cells[cell].kind == CellKind::Argument ? toPath(name) : name);
    sides.push_back({"", topology.getDimNumber(dim)});
    key += "|" + collapseNumbers(sideNames.back()) + "," + std::to_string(sides.back().dim);
  }
  auto [it, isNew] = conflictNumbers.try_emplace(key, report.conflicts.size());
  if (isNew) {
    report.conflicts.push_back({axes.getName(conflict.axis), 0, 0, {}, std::move(sides)});
    addOps(conflict, report.conflicts.back());
    conflictNames.emplace_back(sideNames.size());
  }
  ++report.conflicts[it->second].count;
  report.conflicts[it->second].numOps += conflict.nodes.size();
  for (auto [all, name] : llvm::zip_equal(conflictNames[it->second], sideNames))
    all.push_back(std::move(name));
}

void TacticDescription::collectConflicts() {
  std::set<std::pair<AxisId, NodeId>> seen;
  for (const Conflict &conflict : trace.conflicts) {
    // A later step may have found the same conflict again, or decided it.
    auto isOpen = [&](NodeId node) { return assignment.getFactor(node, conflict.axis) == noFactor; };
    if (llvm::any_of(conflict.nodes, isOpen) && seen.insert({conflict.axis, conflict.nodes.front()}).second)
      addConflict(conflict);
  }
  for (auto [conflict, all] : llvm::zip_equal(report.conflicts, conflictNames))
    for (auto [side, sideNames] : llvm::zip_equal(conflict.sides, all))
      side.pattern = joinNames(sideNames);
}

//===----------------------------------------------------------------------===//
// Stops
//===----------------------------------------------------------------------===//

/// Why the op could not take an axis of its value on this op factor; empty if there is nothing to report.
std::string TacticDescription::explainStop(OpFactorId opFactor, AxisId axis) const {
  NodeId node = topology.getNode(opFactor);
  if (!topology.isOp(node) || assignment.getFactor(node, axis) != noFactor)
    return "";
  const Factor &factor = topology.getFactors(node)[topology.getFactor(opFactor)];
  switch (factor.kind) {
  case FactorKind::Replicate:
    return "needs the dim whole";
  case FactorKind::Window:
    return "needs neighbours along the dim, in a way that no exchange of edges is built for";
  default:
    break;
  }
  int64_t parts = assignment.getParts(node, topology.getFactor(opFactor)) * axes[axis].size;
  if (factor.size % parts != 0)
    return "size " + std::to_string(factor.size) + " does not divide by " + std::to_string(parts);
  return "";
}

void TacticDescription::collectStops() {
  std::set<std::pair<OpFactorId, AxisId>> seen;
  std::map<std::string, size_t> known;
  for (const TacticTrace::Split &split : trace.splits) {
    uint8_t factor = assignment.getFactor(split.node, split.axis);
    if (factor >= topology.getNumOpFactors(split.node))
      continue;
    for (const FactorDim &entry : topology.getDims(topology.getOpFactor(split.node, factor)))
      for (OpFactorId opFactor : topology.getOpFactors(entry.dim)) {
        std::string reason = explainStop(opFactor, split.axis);
        if (reason.empty() || !seen.insert({opFactor, split.axis}).second)
          continue;
        const Op &op = graph.ops[topology.getOp(topology.getNode(opFactor))];
        StopReport stop{graph.getName(op.opName).str(), graph.getName(op.location).str(), std::move(reason), 0};
        auto [it, isNew] = known.try_emplace(stop.op + "|" + stop.location + "|" + stop.reason, report.stops.size());
        if (isNew)
          report.stops.push_back(std::move(stop));
        ++report.stops[it->second].count;
      }
  }
  llvm::sort(report.stops, [](const StopReport &a, const StopReport &b) {
    auto key = [](const StopReport &stop) { return std::tie(stop.op, stop.location, stop.reason); };
    return a.count != b.count ? a.count > b.count : key(a) < key(b);
  });
}

void describeTactic(const TacticTrace &trace, const Assignment &assignment, const CellNames &names,
                    TacticReport &report) {
  TacticDescription(trace, assignment, names, report).run();
}

} // namespace partita::schedule
