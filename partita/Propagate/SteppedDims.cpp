//===- SteppedDims.cpp - dims that loops step through ---------------------===//

#include "partita/Propagate/SteppedDims.h"

namespace partita::propagate {

IdVector<DimId, uint8_t> findSteppedDims(const Topology &topology) {
  const Graph &graph = topology.getGraph();
  IdVector<DimId, uint8_t> steppedDims(topology.getNumDims(), 0);
  std::vector<DimId> work;
  auto visit = [&](DimId dim) {
    if (steppedDims[dim])
      return;
    steppedDims[dim] = 1;
    work.push_back(dim);
  };
  for (const SteppedDim &step : graph.steppedDims)
    visit(topology.getDim(step.cell, step.dim));
  while (!work.empty()) {
    DimId dim = work.back();
    work.pop_back();
    for (OpFactorId opFactor : topology.getOpFactors(dim)) {
      NodeId node = topology.getNode(opFactor);
      if (!topology.isOp(node))
        continue;
      OpClass opClass = graph.ops[topology.getOp(node)].opClass;
      if (opClass != OpClass::Identity && opClass != OpClass::Elementwise)
        continue;
      for (const FactorDim &entry : topology.getDims(opFactor))
        visit(entry.dim);
    }
  }
  return steppedDims;
}

} // namespace partita::propagate
