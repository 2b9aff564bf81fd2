//===- PaddableFactors.cpp - which factors of an op may be longer ---------===//

#include "partita/Padding/PaddableFactors.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/IndexedDims.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/OpTraits.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/FoldedBodies.h"

using namespace mlir;

namespace partita::padding {

/// Padding is filled with zeros, which scales of 8 bits do not have, and quantized elements are rounded: they are left
/// alone.
static bool hasPlainElements(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (auto floating = dyn_cast<FloatType>(element);
      floating && !APFloat::semanticsHasZero(floating.getFloatSemantics()))
    return false;
  return isa<RankedTensorType>(type) && isa<IntegerType, FloatType>(element);
}

static bool isPlainOp(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), hasPlainElements) && llvm::all_of(op->getResultTypes(), hasPlainElements);
}

static bool isSplat(stablehlo::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  return elements && !elements.empty() && elements.isSplat();
}

bool isPaddable(Operation *op) {
  using namespace stablehlo;
  if (!isPlainOp(op))
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isSplat(constant);
  if (isa<IotaOp, BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, ConcatenateOp, SliceOp, PadOp, BitcastConvertOp,
          DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, ScatterOp, ReduceOp, ReduceWindowOp, SelectAndScatterOp,
          ConvolutionOp, SortOp, chlo::TopKOp, DotGeneralOp, OptimizationBarrierOp, sdy::ShardingConstraintOp>(op))
    return true;
  return classify(op) == OpClass::Elementwise && op->getNumOperands() > 0 && op->getNumRegions() == 0;
}

static bool hasFactor(const ValueFactors &value, uint8_t factor) {
  return llvm::any_of(value, [&](const DimFactors &dim) { return llvm::is_contained(dim, factor); });
}

/// The fill of an idempotent reduction is its init value, so that has to be of the operand's type.
static bool hasFill(stablehlo::ReduceOp op, Combiner combiner) {
  for (auto [input, init] : llvm::zip(op.getInputs(), op.getInitValues())) {
    auto type = cast<RankedTensorType>(input.getType());
    if (getElementTypeOrSelf(init) != type.getElementType())
      return false;
    if (!rules::isIdempotent(combiner) &&
        !rules::getIdentity(RankedTensorType::get({}, type.getElementType()), combiner))
      return false;
  }
  return true;
}

/// Whether -1, as the type of the indices has it, points behind every dim of the input, so that scatter skips it.
static bool hasSkippedIndex(stablehlo::ScatterOp op) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getScatterIndices()));
  bool hasIndices = !op.getScatterDimensionNumbers().getScatterDimsToOperandDims().empty();
  // Smaller unsigned types might reach into a long dim.
  return type && hasIndices && (!type.isUnsigned() || type.getWidth() >= 32);
}

/// Padding lies behind the elements only if the factor is the major one of every dim that it is part of, and once in a
/// value.
static bool isMajorEverywhere(const Rule &rule, uint8_t factor) {
  auto isMajor = [&](const ValueFactors &value) {
    int64_t places = 0;
    for (const DimFactors &dim : value) {
      places += llvm::count(dim, factor);
      if (llvm::is_contained(ArrayRef(dim).drop_front(dim.empty() ? 0 : 1), factor))
        return false;
    }
    return places <= 1;
  };
  return llvm::all_of(rule.operands, isMajor) && llvm::all_of(rule.results, isMajor);
}

DenseElementsAttr getLeast(Type element) {
  // NaN with a sign is less in the order of XLA's sorts, but its kernel for GPUs takes any NaN for the largest.
  bool isOrdered = isa<IntegerType, Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  return isOrdered ? rules::getLowest(element) : DenseElementsAttr();
}

bool mayBePadded(Operation *op, const Rule &rule, uint8_t factor) {
  using namespace stablehlo;
  const Factor &known = rule.factors[factor];
  bool isParallel = known.kind == FactorKind::Parallel;
  // Dims along which windows slide and rows move are links (DimLinks.h).
  if (!known.isSplittable() || !known.halo.isEmpty() || known.shift || known.isReversed ||
      !isMajorEverywhere(rule, factor))
    return false;
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && known.kind == FactorKind::Fold)
    return rules::findFoldedBody(reduce).mayPad;
  if (known.kind == FactorKind::Fold)
    return isa<chlo::TopKOp>(op) && getLeast(getElementTypeOrSelf(op->getOperand(0)));
  // Start indices are clamped by sizes, so only dims that are taken whole may be longer.
  if (isa<DynamicSliceOp>(op))
    return isParallel && hasFactor(rule.operands[0], factor) && hasFactor(rule.results[0], factor);
  if (isa<DynamicUpdateSliceOp>(op))
    return isParallel && hasFactor(rule.operands[0], factor) && hasFactor(rule.operands[1], factor);
  if (auto scatter = dyn_cast<ScatterOp>(op))
    return isParallel || hasSkippedIndex(scatter);
  if (auto gather = dyn_cast<GatherOp>(op))
    return isParallel || isa<IntegerType>(getElementTypeOrSelf(gather.getStartIndices()));
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isParallel || hasFill(reduce, known.combiner);
  if (isa<DotGeneralOp>(op))
    return true;
  if (auto convolution = dyn_cast<ConvolutionOp>(op)) {
    ConvDimensionNumbersAttr dims = convolution.getDimensionNumbers();
    auto isOf = [&](const DimFactors &factors) { return llvm::is_contained(factors, factor); };
    bool hasGroups = convolution.getFeatureGroupCount() != 1 || convolution.getBatchGroupCount() != 1;
    return !hasGroups && (isOf(rule.operands[0][dims.getInputBatchDimension()]) ||
                          isOf(rule.operands[0][dims.getInputFeatureDimension()]) ||
                          isOf(rule.operands[1][dims.getKernelOutputFeatureDimension()]));
  }
  return isParallel;
}

} // namespace partita::padding
