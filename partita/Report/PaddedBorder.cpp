//===- PaddedBorder.cpp - what padding costs at the border of a step ------===//

#include "partita/Report/PaddedBorder.h"

#include "partita/Padding/PadProgram.h"
#include "partita/Report/Units.h"
#include "partita/Support/Words.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::report {

static CellId getResult(const Graph &graph, OpId op) {
  return graph.getResults(op).empty() ? CellId() : graph.getResults(op).front();
}

static llvm::StringRef getName(const Graph &graph, CellId cell) { return graph.getName(graph.cells[cell].name); }

static bool padsArgument(const Graph &graph, OpId op) {
  if (graph.getOperands(op).empty() || !getResult(graph, op).isValid())
    return false;
  const Cell &cell = graph.cells[graph.getOperands(op).front()];
  return cell.kind == CellKind::Argument &&
         getName(graph, getResult(graph, op)) == padding::namePadded(graph.getFullName(cell.name, cell.occurrence));
}

/// The op that cuts what the op returns; invalid if nothing does.
static OpId findCut(const Graph &graph, const Topology &topology, OpId op) {
  if (graph.ops[op].role != IdentityRole::Result)
    return {};
  CellId value = graph.getOperands(op).front();
  return getName(graph, value) == padding::unpaddedName ? topology.getDefinition(value) : OpId();
}

/// Whether each op pads an argument or cuts a result, or is that result.
static IdVector<OpId, uint8_t> findBorderOps(const Plan &plan, PaddedBorder &border) {
  const Graph &graph = plan.getGraph();
  IdVector<OpId, uint8_t> isBorder(graph.ops.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (padsArgument(graph, op)) {
      isBorder[op] = 1;
      ++border.numPadded;
    }
    if (OpId cut = findCut(graph, plan.program.topology, op); cut.isValid()) {
      isBorder[cut] = isBorder[op] = 1;
      ++border.numCut;
    }
  }
  return isBorder;
}

PaddedBorder findPaddedBorder(const Plan &plan, const Price *price) {
  PaddedBorder border;
  IdVector<OpId, uint8_t> isBorder = findBorderOps(plan, border);
  if (!price)
    return border;
  auto isAt = [&](OpId op) { return op.isValid() && isBorder[op]; };
  border.timePs = 0;
  for (const OpTime &op : price->times.ops)
    *border.timePs += isAt(op.op) ? op.timePs : 0;
  for (const ReshardLine &line : price->report.reshards)
    if (!line.isOverlapped && (isAt(line.op) || isAt(line.firstUser)))
      *border.timePs += line.timePs;
  return border;
}

std::string describeBorder(const PaddedBorder &border) {
  if (border.numPadded == 0 && border.numCut == 0)
    return "";
  std::string time = border.timePs ? ", which takes " + printTime(*border.timePs) : "";
  return "each step pads " + countWord(border.numPadded, "argument") + " and cuts " +
         countWord(border.numCut, "result") + " back" + time +
         ": between steps, and in annotated.mlir, no axis splits these dims; state that is stored padded saves it "
         "(\"store\" in a pad tactic; for a search, store among its allowed actions)";
}

} // namespace partita::report
