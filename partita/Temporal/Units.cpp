//===- Units.cpp - what the rewrite places as one -------------------------===//

#include "partita/Temporal/Units.h"

#include "partita/Dialect/StableHlo/StableHlo.h"

using namespace mlir;

namespace partita::temporal {

static bool isBundleOp(Operation *op) { return isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op); }

/// The op of the straight code that `op` is or is inside of.
static Operation *findOuterOp(Operation *op) {
  while (!isa<func::FuncOp>(op->getParentOp()))
    op = op->getParentOp();
  return op;
}

/// The flat program has a bundle's ops in one piece, with copies of free values between its entries: these belong to it
/// as well.
static void addUnit(const MicroProgram &program, OpId first, Units &units) {
  const auto &origins = program.flattened.origins;
  MicroUnit unit{first, OpId(first.get() + 1), origins[first], false};
  // A copy of a free value is where it is used, whatever its definition is in.
  Operation *outer = program.flattened.freeOps.contains(unit.origin) ? unit.origin : findOuterOp(unit.origin);
  if (isBundleOp(outer)) {
    unit.origin = outer;
    unit.isBundle = true;
    for (OpId op = unit.end; op.get() < origins.size(); op = OpId(op.get() + 1))
      if (!program.flattened.freeOps.contains(origins[op])) {
        if (findOuterOp(origins[op]) != outer)
          break;
        unit.end = OpId(op.get() + 1);
      }
  }
  units.list.push_back(unit);
}

Units findUnits(const MicroProgram &program) {
  const Graph &graph = program.graph;
  Units units;
  units.ofOp.resize(graph.ops.size());
  units.ofCell.resize(graph.cells.size(), Units::none);
  for (OpId op(0); op.get() < graph.ops.size(); op = units.list.back().end) {
    addUnit(program, op, units);
    uint32_t number = units.list.size() - 1;
    for (OpId inside = op; inside != units.list.back().end; inside = OpId(inside.get() + 1)) {
      units.ofOp[inside] = number;
      for (CellId cell : graph.getResults(inside))
        units.ofCell[cell] = number;
    }
  }
  return units;
}

} // namespace partita::temporal
