//===- ProgramIndex.cpp - from the module to the flat program -------------===//

#include "partita/Remat/ProgramIndex.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace partita::remat {

ProgramIndex::ProgramIndex(const Flattened &flattened) : flattened(flattened) {
  const Graph &graph = flattened.graph;
  for (OpId id : idRange<OpId>(graph.ops.size())) {
    const Op &op = graph.ops[id];
    Operation *origin = flattened.origins[id];
    if (op.role == IdentityRole::Entry && isa<stablehlo::WhileOp>(origin))
      carried[{origin, graph.cells[graph.getResults(id).front()].number}] = graph.getResults(id).front();
    for (Operation *around = origin; around && !isa<func::FuncOp>(around); around = around->getParentOp()) {
      std::pair<OpId, OpId> &range = ranges.try_emplace(around, id, id).first->second;
      range = {std::min(range.first, id), std::max(range.second, id)};
    }
    if (op.opClass == OpClass::Identity || flattened.freeOps.contains(origin))
      continue;
    ops[origin] = id;
    int64_t runs = std::max<int64_t>(graph.getMultiplicity(op.region), 1);
    for (Operation *around = origin; around && !isa<func::FuncOp>(around); around = around->getParentOp()) {
      phases[around] |= uint8_t(1) << static_cast<unsigned>(op.phase);
      flops[around] += op.flops * runs;
    }
  }
}

CellId ProgramIndex::getCell(Value value) const {
  OpId op = value.getDefiningOp() ? getOp(value.getDefiningOp()) : OpId();
  return op.isValid() ? getGraph().getResults(op)[cast<OpResult>(value).getResultNumber()] : CellId();
}

} // namespace partita::remat
