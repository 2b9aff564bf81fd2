//===- TacticRunner.cpp - runs the steps of tactics -----------------------===//

#include "partita/Schedule/TacticRunner.h"

#include "partita/Propagate/SteppedDims.h"
#include "partita/Support/Words.h"

#include <numeric>

namespace partita::schedule {

TacticRunner::TacticRunner(Assignment &assignment, const CellNames &names)
    : assignment(assignment), topology(assignment.getTopology()), names(names), propagation(assignment) {}

void TacticRunner::begin(const std::string &name, const std::string &axis) {
  trace = TacticTrace();
  trace.firstStep = outcome.stepTactics.size();
  outcome.reports.emplace_back();
  getReport().name = name;
  getReport().axis = axis;
}

void TacticRunner::end(AfterTactic afterTactic) {
  propagation.clearCuts();
  trace.endStep = outcome.stepTactics.size();
  describeTactic(trace, assignment, names, getReport());
  if (afterTactic)
    afterTactic(assignment, getReport());
}

uint32_t TacticRunner::nextStep() {
  outcome.stepTactics.push_back(outcome.reports.size() - 1);
  return outcome.stepTactics.size() - 1;
}

std::string TacticRunner::describe(CellId cell) const {
  const Graph &graph = assignment.getGraph();
  std::string text = names.getName(cell) + " (" + printType(graph, cell);
  const Cell &entry = graph.cells[cell];
  bool isInner = entry.kind != CellKind::Argument && entry.kind != CellKind::Result;
  if (isInner && entry.location.isValid())
    text += ", " + graph.getName(entry.location).str();
  return text + ")";
}

//===----------------------------------------------------------------------===//
// Reasons
//===----------------------------------------------------------------------===//

std::string TacticRunner::blame(CellId cell, AxisId axis) const {
  cell = topology.getRepresentative(cell);
  NodeId node = topology.getBoundaryNode(cell);
  if (!node.isValid() && topology.getDefinition(cell).isValid())
    node = topology.getNode(topology.getDefinition(cell));
  bool isPinned = assignment.getPin(cell, axis).kind != PinKind::None;
  if (!isPinned && !node.isValid())
    return "";
  uint32_t step = isPinned ? assignment.getPinStep(cell, axis) : assignment.getStep(node, axis);
  const TacticReport &report = outcome.reports[outcome.stepTactics[step]];
  return &report == &outcome.reports.back() ? ", by this tactic" : ", since tactic '" + report.name + "'";
}

std::string TacticRunner::explainTile(CellId cell, uint32_t dim, AxisId axis) const {
  uint32_t rank = assignment.getGraph().cells[cell].rank;
  if (dim >= rank)
    return "it has " + countWord(rank, "dim") + ", counted from 0";
  bool isArgument = assignment.getGraph().cells[cell].kind == CellKind::Argument;
  std::string reason = propagation.explainRoot(topology.getDim(cell, dim), axis, /*spreadsNowhere=*/isArgument);
  if (reason.empty())
    return reason;
  bool isTaken = assignment.getCellSharding(cell).findAxis(axis) >= 0 ||
                 assignment.getPin(topology.getRepresentative(cell), axis).kind != PinKind::None;
  return isTaken ? reason + blame(cell, axis) : reason;
}

/// What size a dim would need to divide by so many devices: the next one, and the next one that kernels like.
static std::string describeSizes(int64_t size, int64_t parts) {
  constexpr int64_t kernelTile = 128;
  auto roundUp = [size](int64_t unit) { return (size + unit - 1) / unit * unit; };
  int64_t next = roundUp(parts), tiled = roundUp(std::lcm(parts, kernelTile));
  std::string text = std::to_string(next) + " would divide";
  bool isWorthIt = size >= kernelTile && next % kernelTile != 0;
  return isWorthIt ? text + "; " + std::to_string(tiled) + " also by " + std::to_string(kernelTile) : text;
}

std::string TacticRunner::adviseSize(CellId cell, uint32_t dim, llvm::StringRef axis) const {
  if (dim >= assignment.getGraph().cells[cell].rank)
    return "";
  const Axes &axes = assignment.getAxes();
  llvm::SmallVector<AxisId> wanted = axes.find(axis);
  llvm::append_range(wanted, assignment.getCellSharding(cell).dims[dim]);
  llvm::sort(wanted);
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  int64_t size = assignment.getGraph().getShape(cell)[dim], parts = 1;
  for (AxisId part : wanted)
    parts *= axes[part].size;
  return size > 0 && size % parts != 0 ? describeSizes(size, parts) : "";
}

std::string TacticRunner::explainAtomic(CellId cell, AxisId axis) const {
  std::string reason = propagation.explainAtomic(cell, axis);
  return reason.empty() ? reason : reason + blame(cell, axis);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void TacticRunner::runStep(llvm::ArrayRef<DimId> roots, AxisId axis, ConflictPolicy policy) {
  StepOutcome step = propagation.run(roots, axis, nextStep(), policy);
  llvm::sort(step.assigned);
  for (NodeId node : step.assigned)
    trace.splits.push_back({node, axis});
  llvm::append_range(outcome.conflicts, step.conflicts);
  llvm::append_range(trace.conflicts, std::move(step.conflicts));
}

std::string TacticRunner::tile(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts) {
  size_t mark = assignment.mark();
  size_t numSteps = outcome.stepTactics.size(), numSplits = trace.splits.size(), numConflicts = trace.conflicts.size();
  for (AxisId axis : parts) {
    std::string reason = explainTile(cell, dim, axis);
    if (reason.empty()) {
      if (propagation.isCut(cell, axis))
        pinTile(cell, dim, axis);
      else
        runStep(topology.getDim(cell, dim), axis, ConflictPolicy::Record);
      continue;
    }
    assignment.rollback(mark);
    outcome.stepTactics.resize(numSteps);
    trace.splits.resize(numSplits);
    outcome.conflicts.resize(outcome.conflicts.size() - (trace.conflicts.size() - numConflicts));
    trace.conflicts.resize(numConflicts);
    return reason;
  }
  trace.tiled.push_back(cell);
  return "";
}

void TacticRunner::tileTogether(llvm::ArrayRef<TileRoot> roots, AxisId axis) {
  llvm::SmallVector<DimId> dims;
  for (const TileRoot &root : roots) {
    dims.push_back(topology.getDim(root.cell, root.dim));
    trace.tiled.push_back(root.cell);
  }
  // A tied result has the dims of its argument.
  llvm::sort(dims);
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  runStep(dims, axis, ConflictPolicy::LargerSide);
}

std::optional<uint32_t> TacticRunner::tileFirstDivisible(CellId cell, llvm::ArrayRef<AxisId> parts) {
  for (uint32_t dim = 0; dim < assignment.getGraph().cells[cell].rank; ++dim)
    if (!isStepped(cell, dim) && tile(cell, dim, parts).empty())
      return dim;
  return std::nullopt;
}

void TacticRunner::keepWhole(CellId cell, AxisId axis) {
  assignment.pin(topology.getRepresentative(cell), axis, {PinKind::Atomic, 0}, nextStep());
}

std::string TacticRunner::assign(CellId cell, uint32_t factor, llvm::ArrayRef<AxisId> parts) {
  OpId op = topology.getDefinition(cell);
  if (!op.isValid() || topology.getBoundaryNode(cell).isValid())
    return "no single op defines it";
  NodeId node = topology.getNode(op);
  size_t numFactors = assignment.getGraph().getFactors(op).size();
  if (factor >= numFactors)
    return "its op has " + std::to_string(numFactors) + " factors, counted from 0";
  size_t mark = assignment.mark(), numSteps = outcome.stepTactics.size(), numSplits = trace.splits.size();
  for (AxisId axis : parts) {
    std::string reason = propagation.explainFactor(node, factor, axis);
    if (reason.empty()) {
      if (assignment.getFactor(node, axis) != factor)
        trace.splits.push_back({node, axis});
      if (assignment.getFactor(node, axis) != factor)
        assignment.assign(node, axis, factor, nextStep());
      continue;
    }
    assignment.rollback(mark);
    outcome.stepTactics.resize(numSteps);
    trace.splits.resize(numSplits);
    return reason;
  }
  return "";
}

std::string TacticRunner::group(CellId cell, llvm::ArrayRef<CellId> users, llvm::ArrayRef<AxisId> parts) {
  llvm::SmallVector<UseId> uses = findUses(topology, cell, users);
  if (uses.empty())
    return "none of the ops that are named uses it";
  assignment.groupUses(uses, parts);
  return "";
}

void TacticRunner::pinTile(CellId cell, uint32_t dim, AxisId axis) {
  assignment.pin(topology.getRepresentative(cell), axis, {PinKind::Tile, static_cast<uint8_t>(dim)}, nextStep());
}

bool TacticRunner::isStepped(CellId cell, uint32_t dim) {
  if (!steppedDims)
    steppedDims = findSteppedDims(topology);
  return (*steppedDims)[topology.getDim(cell, dim)] != 0;
}

} // namespace partita::schedule
