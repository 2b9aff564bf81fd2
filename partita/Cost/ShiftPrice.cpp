//===- ShiftPrice.cpp - the time of a shift from device to device ---------===//

#include "partita/Cost/ShiftPrice.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Machine/CollectivePrice.h"

namespace partita::cost {

/// The factor of the rows of operand 0; nothing if it is none that may be split.
static std::optional<uint8_t> findRows(const Graph &graph, OpId op) {
  if (graph.ops[op].opClass != OpClass::Collective)
    return std::nullopt;
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == 0 && entry.dim == 0 && graph.getFactors(op)[entry.factor].kind == FactorKind::Parallel)
      return entry.factor;
  return std::nullopt;
}

bool isShift(const Graph &graph, OpId op) { return findRows(graph, op).has_value(); }

int64_t computeShiftPs(const CostModel &model, const Assignment &assignment, OpId op) {
  const Graph &graph = model.getGraph();
  std::optional<uint8_t> rows = findRows(graph, op);
  NodeId node = model.getTopology().getNode(op);
  if (!rows || assignment.getParts(node, *rows) <= 1)
    return 0;
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  std::vector<int64_t> sources(order.size());
  for (const std::vector<int64_t> &group : computeGroups(model.getAxes(), assignment.getFactorAxes(node, *rows)))
    for (size_t index = 0; index < group.size(); ++index)
      sources[static_cast<size_t>(order[static_cast<size_t>(group[index])])] =
          order[static_cast<size_t>(group[index == 0 ? 0 : index - 1])];
  int64_t localRows = graph.getFactors(op)[*rows].size / assignment.getParts(node, *rows);
  CollectiveRequest request;
  request.kind = Collective::CollectivePermute;
  request.payloadBytes = model.getOpPricer().computeLocalBytes(assignment, op, 0) / std::max<int64_t>(1, localRows);
  request.sources = sources;
  return priceCollective(model.getMachine(), request).timePs;
}

} // namespace partita::cost
