//===- OpPrice.cpp - the time of a device's piece of an op ----------------===//

#include "partita/Cost/OpPrice.h"

#include "partita/Cost/ShiftPrice.h"

namespace partita::cost {

int64_t OpPricer::computeLocalBytes(const Assignment &assignment, OpId op, uint32_t value) const {
  const Op &info = graph.ops[op];
  CellId cell = value < info.numUses ? graph.getOperands(op)[value] : graph.getResults(op)[value - info.numUses];
  int64_t bits = graph.cells[cell].elementBits;
  for (int64_t size : graph.getShape(cell))
    bits *= size;
  NodeId node = topology.getNode(op);
  for (const DimFactor &entry : graph.getDimFactors(op))
    if (entry.value == value)
      bits /= assignment.getParts(node, entry.factor);
  return (bits + 7) / 8;
}

int64_t OpPricer::computeReadsPs(const Assignment &assignment, const FusionPlan &fusion, UseId use) const {
  uint32_t numReads = fusion.getNumReads(use);
  if (numReads == 0)
    return 0;
  OpId op = topology.getUser(use);
  uint32_t operand = use.get() - graph.ops[op].firstUse;
  FusionRole role = fusion.getRole(op);
  if (role == FusionRole::Update && operand == 0)
    return 0;
  int64_t bytes = computeLocalBytes(assignment, op, operand);
  if (role == FusionRole::Slice && operand == 0)
    bytes = std::min(bytes, computeLocalBytes(assignment, op, graph.ops[op].numUses));
  return computeMemoryPs(numReads * bytes);
}

int64_t OpPricer::computeLocalFlops(const Assignment &assignment, OpId op) const {
  int64_t parts = 1;
  for (uint32_t factor = 0; factor < graph.ops[op].numFactors; ++factor)
    parts *= assignment.getParts(topology.getNode(op), factor);
  return (graph.ops[op].flops + parts - 1) / parts;
}

/// The sizes of the matrix product on one device.
struct MatmulSizes {
  int64_t m = 1, n = 1, k = 1;
};

int64_t OpPricer::computePaddedFlops(const Assignment &assignment, OpId op) const {
  int64_t tile = device.matmulTile.value, flops = computeLocalFlops(assignment, op);
  const Op &info = graph.ops[op];
  if (tile <= 1 || info.opClass != OpClass::Contraction || info.numUses < 2 || info.numFactors > 64)
    return flops;
  // Which values have a factor: bits 0 and 1 are the operands, bit 2 a result.
  std::array<uint8_t, 64> where = {};
  for (const DimFactor &entry : graph.getDimFactors(op))
    where[entry.factor] |= entry.value < 2 ? 1 << entry.value : entry.value >= info.numUses ? 4 : 0;
  MatmulSizes sizes;
  for (uint32_t factor = 0; factor < info.numFactors; ++factor) {
    int64_t size = graph.getFactors(op)[factor].size / assignment.getParts(topology.getNode(op), factor);
    switch (where[factor]) {
    case 1 | 4:
      sizes.m *= size;
      break;
    case 2 | 4:
      sizes.n *= size;
      break;
    case 1 | 2:
      sizes.k *= size;
      break;
    default:
      break;
    }
  }
  __int128 padded = flops;
  for (int64_t size : {sizes.m, sizes.n, sizes.k})
    if (size > 0)
      padded = padded * (static_cast<__int128>((size + tile - 1) / tile) * tile) / size;
  return static_cast<int64_t>(std::min<__int128>(padded, INT64_MAX / 2));
}

/// The type of the wider of the two operands.
llvm::StringRef OpPricer::getOperandType(OpId op) const {
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  CellId wider = operands.empty() ? graph.getResults(op)[0] : operands[0];
  if (operands.size() > 1 && graph.cells[operands[1]].elementBits > graph.cells[wider].elementBits)
    wider = operands[1];
  return graph.getName(graph.cells[wider].element);
}

int64_t OpPricer::computeTrafficBytes(const Assignment &assignment, OpId op) const {
  const Op &info = graph.ops[op];
  int64_t bytes = 0;
  if (info.opClass == OpClass::Indexing && info.numUses >= 2) {
    bool isScatter = info.kind == OpKind::Scatter && info.numUses >= 3;
    // The moved elements are read and written; the others of operand 0 are not touched.
    uint32_t moved = isScatter ? info.numUses - 1 : info.numUses;
    return 2 * computeLocalBytes(assignment, op, moved) + computeLocalBytes(assignment, op, 1);
  }
  for (uint32_t value = 0; value < info.numUses + info.numDefinitions; ++value)
    bytes += computeLocalBytes(assignment, op, value);
  return bytes;
}

int64_t OpPricer::computeTimePs(const Assignment &assignment, OpId op) const {
  int64_t memory = computeMemoryPs(computeTrafficBytes(assignment, op)) + device.launchPs.value;
  if (!hasProducts(graph.ops[op]))
    return std::min(memory, maxTimePs);
  int64_t matmul = computeMatmulPs(device, getOperandType(op), computePaddedFlops(assignment, op));
  return std::min(std::max(memory, matmul), maxTimePs);
}

bool OpPricer::isUnpriced(OpId op) const {
  const Op &info = graph.ops[op];
  return (info.opClass == OpClass::Opaque && info.role == IdentityRole::None && !hasProducts(info)) ||
         (info.opClass == OpClass::Collective && !isShift(graph, op));
}

} // namespace partita::cost
