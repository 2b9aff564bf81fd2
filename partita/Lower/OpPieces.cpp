//===- OpPieces.cpp - the part of an op that one device computes ----------===//

#include "partita/Lower/OpPieces.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Dialect/Diagnostics.h"
#include "partita/Graph/RulePool.h"
#include "partita/Lower/Boundary.h"
#include "partita/Lower/ManualBody.h"
#include "partita/Program/PieceLocations.h"
#include "partita/Program/Rules/StageShift.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace partita::lower {

SmallVector<Split> OpPieces::makeSplits(OpId id) {
  SmallVector<Split> splits;
  NodeId node = assignment.getTopology().getNode(id);
  for (AxisId axis : idRange<AxisId>(axes.size())) {
    uint8_t factor = assignment.getFactor(node, axis);
    if (factor == noFactor || factor == sumFactor ||
        llvm::any_of(splits, [&](const Split &split) { return split.factor == factor; }))
      continue;
    splits.push_back({factor, assignment.getParts(node, factor), index.get(assignment.getFactorAxes(node, factor))});
  }
  // An order that does not depend on the axes, so that a checker of the program need not know them.
  llvm::sort(splits, [](const Split &a, const Split &b) { return a.factor < b.factor; });
  return splits;
}

/// Why one device cannot run its part of `op`; empty if it can.
static std::string findFault(Operation *op, bool isSplit) {
  if (isa<stablehlo::CompositeOp>(op) && isSplit)
    return "a kernel is not split: its body is written for the whole";
  if (op->getNumRegions() == 0)
    return "";
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  return captured.empty() ? "" : "its region uses a value from outside, which is not supported";
}

/// The last op before the builder's insertion point; null at the beginning of a block.
static Operation *getOpBefore(OpBuilder &builder) {
  Block::iterator point = builder.getInsertionPoint();
  return point == builder.getInsertionBlock()->begin() ? nullptr : &*std::prev(point);
}

void OpPieces::setExchanges(OpBuilder &builder, Operation *before, OpId id) {
  Block *block = builder.getInsertionBlock();
  Block::iterator from = before ? std::next(Block::iterator(before)) : block->begin();
  for (Operation &made : llvm::make_range(from, builder.getInsertionPoint())) {
    std::optional<uint8_t> factor = findExchange(&made);
    if (!factor)
      continue;
    NodeId node = assignment.getTopology().getNode(id);
    setDevices(&made, computeGroups(axes, assignment.getFactorAxes(node, *factor)));
    takesFromNeighbors = true;
  }
}

/// If several ops compute one piece, marks all but the last by their locations. A reader of the local program sees
/// which of its ops represent ops of the program.
static void nameHelpers(Operation *before, OpBuilder &builder, Operation *last) {
  Block *block = builder.getInsertionBlock();
  Block::iterator from = before ? std::next(Block::iterator(before)) : block->begin();
  for (Operation &made : llvm::make_range(from, builder.getInsertionPoint()))
    if (&made != last)
      markHelper(&made);
}

Result<SmallVector<Value>> OpPieces::emit(OpBuilder &builder, OpId id, ValueRange operands) {
  Operation *op = flattened.origins[id];
  if (isMark(op))
    return SmallVector<Value>(operands);
  SmallVector<Split> splits = makeSplits(id);
  bool isFree = flattened.freeOps.contains(op);
  if (isFree)
    if (Value known = freeValues.find(op, operands, splits))
      return SmallVector<Value>{known};
  if (std::string fault = axes.size() == 0 ? "" : findFault(op, !splits.empty()); !fault.empty())
    return Error::unsupported(locationOf(op), "'" + op->getName().getStringRef().str() + "': " + fault);
  Operation *before = getOpBefore(builder);
  Rule rule = buildRule(flattened.graph, id);
  SmallVector<Value> pieces = emitLocal(builder, op, rule, operands, splits);
  auto isExchanged = [&](const Split &split) { return rule.factors[split.factor].isExchanged(); };
  if (isStageShift(op) || llvm::any_of(splits, isExchanged))
    setExchanges(builder, before, id);
  if (!isFree && !pieces.empty())
    nameHelpers(before, builder, pieces.back().getDefiningOp());
  for (Value piece : pieces)
    if (Operation *made = piece.getDefiningOp())
      dropShardingAttrs(made);
  if (isFree)
    freeValues.find(op, operands, splits) = pieces.front();
  return pieces;
}

Value OpPieces::emitRows(OpBuilder &builder, OpId id, ValueRange operands, uint8_t factor, int64_t parts) {
  SmallVector<Split> splits = makeSplits(id);
  auto *own = llvm::find_if(splits, [&](const Split &split) { return split.factor == factor; });
  if (own != splits.end())
    own->parts *= parts;
  else
    splits.push_back({factor, parts, Value()});
  llvm::sort(splits, [](const Split &a, const Split &b) { return a.factor < b.factor; });
  Value piece = emitLocal(builder, flattened.origins[id], buildRule(flattened.graph, id), operands, splits).front();
  dropShardingAttrs(piece.getDefiningOp());
  return piece;
}

} // namespace partita::lower
