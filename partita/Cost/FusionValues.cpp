//===- FusionValues.cpp - what each value is computed from ----------------===//
//
// The part of FusionPlan that looks at values: which are free, light or moved,
// and what has to be read for them. FusionPlan.cpp makes kernels of that.
//
//===----------------------------------------------------------------------===//

#include "partita/Cost/FusionPlan.h"

#include "llvm/ADT/STLExtras.h"

namespace partita::cost {

/// A constant, possibly moved or passed to a loop that does not change it.
bool FusionPlan::isConstantOp(OpId op) const {
  const Op &info = graph.ops[op];
  if (info.numDefinitions != 1)
    return false;
  if (roles[op] == FusionRole::Constant)
    return true;
  CellId cell = graph.getResults(op)[0];
  bool isScalar = graph.cells[cell].rank == 0 && roles[op] == FusionRole::Elementwise;
  if (roles[op] != FusionRole::Movement && roles[op] != FusionRole::Identity && !isScalar)
    return false;
  bool isUnchanged = graph.cells[cell].kind == CellKind::Carried && topology.getDefinitions(cell).size() == 1;
  return info.numUses > 0 && (graph.cells[cell].kind == CellKind::OpResult || isUnchanged) &&
         llvm::all_of(graph.getOperands(op), [&](CellId operand) { return isConstant(operand); });
}

void FusionPlan::findFree() {
  free.resize(graph.cells.size(), 0);
  constant.resize(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool isComputed = roles[op] == FusionRole::Elementwise || roles[op] == FusionRole::Movement ||
                      roles[op] == FusionRole::Slice || roles[op] == FusionRole::Constant;
    if (isConstantOp(op))
      constant[graph.getResults(op)[0]] = 1;
    if (!isComputed || !llvm::all_of(graph.getOperands(op), [&](CellId cell) { return isFree(cell); }))
      continue;
    for (CellId cell : graph.getResults(op))
      free[cell] = graph.cells[cell].kind == CellKind::OpResult;
  }
}

/// A broadcast of something much smaller, or computed from such values and free ones only. Decided op by op, not from
/// accumulated bytes, so that the result is the same in every layer.
void FusionPlan::findNarrow() {
  narrow.resize(graph.cells.size(), 0);
  depths.resize(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    bool isMoved = roles[op] == FusionRole::Movement;
    if ((!isMoved && roles[op] != FusionRole::Elementwise) || !isProducer(op))
      continue;
    CellId cell = graph.getResults(op)[0];
    llvm::ArrayRef<CellId> operands = graph.getOperands(op);
    bool isSpread = isMoved && operands.size() == 1 && graph.getBytes(operands[0]) * minSpread <= graph.getBytes(cell);
    narrow[cell] =
        !isFree(cell) && (isSpread || llvm::all_of(operands, [&](CellId operand) { return isLight(operand); }));
    if (!isSpread && (isFree(cell) || narrow[cell]))
      depths[cell] = findDepth(op);
  }
}

uint32_t FusionPlan::findDepth(OpId op) const {
  uint32_t depth = 0;
  for (CellId operand : graph.getOperands(op))
    depth = std::max(depth, depths[operand]);
  return depth + (roles[op] == FusionRole::Elementwise ? 1 : 0);
}

void FusionPlan::findOrders() {
  IdVector<CellId, uint8_t> light(graph.cells.size(), 0);
  for (CellId cell : idRange<CellId>(graph.cells.size()))
    light[cell] = isLight(cell);
  orders = DimOrders(topology, roles, light);
}

/// What a kernel has to read to compute each cell, if it computes it from one value that is not light.
void FusionPlan::findFootprints() {
  footprints.resize(graph.cells.size(), 0);
  for (CellId cell : idRange<CellId>(graph.cells.size())) {
    footprints[cell] = graph.getBytes(cell);
    sources.push_back(cell);
  }
  for (OpId op : idRange<OpId>(graph.ops.size()))
    if (isProducer(op) && !isSlow(op)) {
      CellId cell = graph.getResults(op)[0];
      std::optional<CellId> only = findOnlyOperand(op);
      if (only)
        footprints[cell] = only->isValid() ? std::min(footprints[cell], footprints[*only]) : 0;
      if (only && only->isValid() && roles[op] == FusionRole::Elementwise)
        sources[cell] = sources[*only];
    }
}

/// The operand that matters, of several with one source (not in sums) that of the largest footprint; invalid if none
/// does, nullopt if several do. Operands that are light or much smaller than the result do not matter.
std::optional<CellId> FusionPlan::findOnlyOperand(OpId op) const {
  int64_t bytes = graph.getBytes(graph.getResults(op)[0]);
  CellId only;
  for (CellId cell : graph.getOperands(op)) {
    if (isLight(cell) || cell == only || graph.getBytes(cell) * minSpread <= bytes)
      continue;
    if (only.isValid() && (sources[only] != sources[cell] || isSum(op)))
      return std::nullopt;
    if (!only.isValid() || footprints[cell] > footprints[only])
      only = cell;
  }
  return only;
}

int64_t FusionPlan::computeInputBytes(OpId op) const {
  int64_t bytes = 0;
  llvm::ArrayRef<CellId> operands = graph.getOperands(op);
  for (auto [number, cell] : llvm::enumerate(operands))
    if (!isLight(cell) && !llvm::is_contained(operands.take_front(number), cell))
      bytes += footprints[cell];
  return bytes;
}

/// An elementwise op reads its operands in the order in which its result lies. One that lies in another order is moved
/// where it comes from: at the first value on the way up that has several uses, or that is computed from several.
void FusionPlan::findTransposed() {
  transposed.resize(graph.cells.size(), 0);
  scattered.resize(graph.cells.size(), 0);
  for (OpId op : idRange<OpId>(graph.ops.size())) {
    if (roles[op] != FusionRole::Elementwise || graph.ops[op].numDefinitions != 1)
      continue;
    CellId result = graph.getResults(op)[0];
    for (CellId operand : graph.getOperands(op)) {
      if (isLight(operand) || graph.cells[operand].rank != graph.cells[result].rank ||
          orders.getOrder(operand) == orders.getOrder(result))
        continue;
      CellId moved = findMoved(operand);
      transposed[moved] = 1;
      if (isScattering(graph, moved, DimOrder(orders.getOrder(operand)), DimOrder(orders.getOrder(result))))
        scattered[moved] = 1;
    }
  }
}

/// Where a cell that is read in another order is moved.
CellId FusionPlan::findMoved(CellId cell) const {
  while (topology.getUses(cell).size() == 1 && graph.cells[cell].kind == CellKind::OpResult) {
    OpId op = topology.getDefinition(cell);
    std::optional<CellId> only =
        isProducer(op) && roles[op] == FusionRole::Elementwise ? findOnlyOperand(op) : std::nullopt;
    if (!only || !only->isValid() || orders.getOrder(*only) != orders.getOrder(cell))
      break;
    cell = *only;
  }
  return cell;
}

} // namespace partita::cost
