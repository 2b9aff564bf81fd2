//===- ReorderableFactors.cpp - which factors of an op may be in any order ===//

#include "partita/Reorder/ReorderableFactors.h"

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"

using namespace mlir;

namespace partita::reorder {

static bool isTensor(Type type) { return isa<RankedTensorType>(type); }

bool isReorderable(Operation *op) {
  using namespace stablehlo;
  if (!llvm::all_of(op->getOperandTypes(), isTensor) || !llvm::all_of(op->getResultTypes(), isTensor))
    return false;
  if (isa<BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, ConcatenateOp, SliceOp, PadOp, BitcastConvertOp,
          DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, ScatterOp, ReduceOp, SortOp, DotGeneralOp,
          OptimizationBarrierOp, sdy::ShardingConstraintOp>(op))
    return true;
  return classify(op) == OpClass::Elementwise && op->getNumOperands() > 0 && op->getNumRegions() == 0;
}

/// Whether the factor is all of each dim that it is part of, and once in a value.
static bool isWholeDim(const Rule &rule, uint8_t factor) {
  auto isWhole = [&](const ValueFactors &value) {
    int64_t places = 0;
    for (const DimFactors &dim : value) {
      places += llvm::count(dim, factor);
      if (dim.size() > 1 && llvm::is_contained(dim, factor))
        return false;
    }
    return places <= 1;
  };
  return llvm::all_of(rule.operands, isWhole) && llvm::all_of(rule.results, isWhole);
}

static bool hasFactor(const ValueFactors &value, uint8_t factor) {
  return llvm::any_of(value, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

bool mayBeReordered(Operation *op, const Rule &rule, uint8_t factor) {
  using namespace stablehlo;
  const Factor &known = rule.factors[factor];
  if (known.isExchanged() || !isWholeDim(rule, factor))
    return false;
  if (known.kind == FactorKind::Reduce)
    return isa<ReduceOp, DotGeneralOp>(op);
  if (known.kind != FactorKind::Parallel)
    return false;
  // Where the piece begins, it begins at 0: the dim is taken whole.
  if (isa<DynamicSliceOp>(op))
    return hasFactor(rule.operands[0], factor) && hasFactor(rule.results[0], factor);
  if (isa<DynamicUpdateSliceOp>(op))
    return hasFactor(rule.operands[0], factor) && hasFactor(rule.operands[1], factor);
  // Indices count the elements of the program's order.
  if (isa<ScatterOp>(op))
    return hasFactor(rule.operands.back(), factor);
  return true;
}

bool isBridge(Operation *op, unsigned dim) {
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    auto type = cast<RankedTensorType>(slice.getOperand().getType());
    bool isAll = slice.getStartIndices()[dim] == 0 && slice.getLimitIndices()[dim] == type.getDimSize(dim);
    return slice.getStrides()[dim] == 1 && !isAll && slice.getType().getDimSize(dim) > 0;
  }
  if (auto pad = dyn_cast<stablehlo::PadOp>(op)) {
    int64_t low = pad.getEdgePaddingLow()[dim], high = pad.getEdgePaddingHigh()[dim];
    return low >= 0 && high >= 0 && low + high > 0 && pad.getInteriorPadding()[dim] == 0;
  }
  auto concatenation = dyn_cast<stablehlo::ConcatenateOp>(op);
  return concatenation && concatenation.getDimension() == dim && concatenation->getNumOperands() > 1;
}

} // namespace partita::reorder
