//===- OpTraits.cpp - an op's class, linearity, precision and flops -------===//

#include "partita/Program/OpTraits.h"

#include "partita/Dialect/Chlo/Chlo.h"
#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Combiners.h"
#include "partita/Program/Rules/StageShift.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace partita::program {

/// Calls inside a kernel's decomposition that are followed.
static constexpr unsigned maxCallDepth = 16;

OpClass classify(Operation *op) {
  using namespace stablehlo;
  if (isa<DotOp, DotGeneralOp, ConvolutionOp, EinsumOp, chlo::RaggedDotOp>(op))
    return OpClass::Contraction;
  if (isa<sdy::ShardingConstraintOp>(op))
    return OpClass::Identity;
  if (op->hasTrait<OpTrait::Elementwise>() || isa<SelectOp, ClampOp, MapOp>(op))
    return OpClass::Elementwise;
  if (isStageShift(op))
    return OpClass::Collective;
  if (isa<ConstantOp, IotaOp, BroadcastOp, BroadcastInDimOp, ReshapeOp, TransposeOp, ReverseOp, ConcatenateOp, SliceOp,
          PadOp, BitcastConvertOp>(op))
    return OpClass::Movement;
  if (isa<DynamicSliceOp, DynamicUpdateSliceOp, GatherOp, ScatterOp, TorchIndexSelectOp>(op))
    return OpClass::Indexing;
  if (isa<ReduceOp, ReduceWindowOp, SelectAndScatterOp, SortOp, chlo::TopKOp>(op))
    return OpClass::Reduction;
  if (isa<RngOp, RngBitGeneratorOp>(op))
    return OpClass::Random;
  if (isa<AllGatherOp, AllReduceOp, AllToAllOp, ReduceScatterOp, CollectivePermuteOp, CollectiveBroadcastOp>(op))
    return OpClass::Collective;
  // Functions of chlo take an element to an element, unless they are named above.
  if (isa<chlo::ChloDialect>(op->getDialect()) && op->getNumResults() == 1 && op->getNumRegions() == 0)
    return OpClass::Elementwise;
  return OpClass::Opaque;
}

static bool isZeroConstant(stablehlo::ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements || !elements.isSplat())
    return false;
  if (isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().isZero();
  return isa<IntegerType>(elements.getElementType()) && elements.getSplatValue<APInt>().isZero();
}

static bool hasFloatElements(Value value) {
  return isa<FloatType, ComplexType>(cast<ShapedType>(value.getType()).getElementType());
}

/// One tensor summed up, starting at zero. Of integers that are summed up in wider ones, a sum of parts is not the part
/// of a sum: it does not wrap.
static bool isSumFromZero(stablehlo::ReduceOp op) {
  if (op.getInputs().size() != 1)
    return false;
  Value input = op.getInputs().front(), result = op.getResults().front();
  if (getElementTypeOrSelf(input) != getElementTypeOrSelf(result) && !hasFloatElements(input))
    return false;
  auto init = op.getInitValues().front().getDefiningOp<stablehlo::ConstantOp>();
  return init && isZeroConstant(init) && rules::findCombiner(op.getBody()) == Combiner::Add;
}

Linearity findLinearity(Operation *op) {
  using namespace stablehlo;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return isZeroConstant(constant) ? Linearity::Zero : Linearity::None;
  if (isa<DynamicUpdateSliceOp>(op))
    return Linearity::Update;
  if (isa<AddOp, SubtractOp>(op))
    return Linearity::Sum;
  if (isa<SelectOp>(op))
    return Linearity::Choice;
  if (isa<NegOp, TransposeOp, ReshapeOp, BroadcastInDimOp, ReverseOp, SliceOp, DynamicSliceOp, RealOp, ImagOp>(op))
    return Linearity::First;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return isSumFromZero(reduce) ? Linearity::First : Linearity::None;
  // A quotient is linear in its numerator unless it is rounded, a conversion between floats up to rounding.
  if (isa<DivOp>(op))
    return hasFloatElements(op->getResult(0)) ? Linearity::First : Linearity::None;
  if (isa<ConvertOp>(op))
    return hasFloatElements(op->getOperand(0)) && hasFloatElements(op->getResult(0)) ? Linearity::First
                                                                                     : Linearity::None;
  if (auto multiply = dyn_cast<MulOp>(op)) {
    // Times something that is the same everywhere; which side that is shows in who is partial.
    Operation *lhs = multiply.getLhs().getDefiningOp();
    bool isScaled = lhs && isa<ConstantOp, BroadcastInDimOp>(lhs);
    return isScaled ? Linearity::Second : Linearity::First;
  }
  return Linearity::None;
}

static Precision findPrecision(stablehlo::DotAlgorithmAttr algorithm) {
  if (algorithm.getNumPrimitiveOperations() >= 6 || algorithm.getLhsPrecisionType().isF32())
    return Precision::Highest;
  return algorithm.getNumPrimitiveOperations() >= 3 ? Precision::High : Precision::Default;
}

Precision findPrecision(Operation *op) {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op); dot && dot.getAlgorithmAttr())
    return findPrecision(dot.getAlgorithmAttr());
  Precision most = Precision::Default;
  if (auto config = op->getAttrOfType<ArrayAttr>("precision_config"))
    for (Attribute entry : config)
      if (auto asked = dyn_cast<stablehlo::PrecisionAttr>(entry))
        most = std::max(most, asked.getValue() == stablehlo::Precision::HIGHEST ? Precision::Highest
                              : asked.getValue() == stablehlo::Precision::HIGH  ? Precision::High
                                                                                : Precision::Default);
  return most;
}

static int64_t countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 0;
}

/// Points of the iteration space: the product of all factors' sizes.
static int64_t countPoints(const Rule &rule) {
  int64_t points = 1;
  for (const Factor &factor : rule.factors)
    points *= factor.size;
  return points;
}

/// Each output element takes one multiplication and addition for each kernel element that it sees; zeros that dilation
/// puts between the elements of the input, as gradients of strided convolutions do, are not computed with.
static int64_t countConvolutionFlops(stablehlo::ConvolutionOp op) {
  auto kernel = cast<RankedTensorType>(op.getRhs().getType());
  int64_t outputFeatures = kernel.getDimSize(op.getDimensionNumbers().getKernelOutputFeatureDimension());
  int64_t perOutput = outputFeatures == 0 ? 0 : kernel.getNumElements() / outputFeatures;
  int64_t dilated = 1;
  if (std::optional<ArrayRef<int64_t>> dilation = op.getLhsDilation())
    for (int64_t each : *dilation)
      dilated *= std::max<int64_t>(1, each);
  return 2 * countElements(op.getResult()) * perOutput / dilated;
}

static int64_t countDotFlops(stablehlo::DotGeneralOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  int64_t contracted = 1;
  for (int64_t dim : op.getDotDimensionNumbers().getLhsContractingDimensions())
    contracted *= lhs.getDimSize(dim);
  return 2 * countElements(op.getResult()) * contracted;
}

/// A row meets the matrix of its own group. Where rows are contracted, each group has a result of its own rows.
static int64_t countRaggedDotFlops(chlo::RaggedDotOp op) {
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  int64_t flops = 2 * countElements(op.getResult());
  for (int64_t dim : contracting)
    flops *= lhs.getDimSize(dim);
  bool hasGroups = llvm::is_contained(contracting, numbers.getLhsRaggedDimensions().front());
  int64_t numGroups = cast<RankedTensorType>(op.getGroupSizes().getType()).getShape().back();
  return hasGroups ? flops / std::max<int64_t>(1, numGroups) : flops;
}

/// Products of a kernel, as its decomposition spells them; what it calls counts, loops count once.
static int64_t countProductFlops(Operation *from, FlatSymbolRefAttr body, unsigned depth = 0) {
  auto function = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(from, body);
  if (!function || depth > maxCallDepth)
    return 0;
  int64_t flops = 0;
  function.walk([&](Operation *op) {
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op))
      flops += countDotFlops(dot);
    else if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
      flops += countConvolutionFlops(convolution);
    else if (auto ragged = dyn_cast<chlo::RaggedDotOp>(op))
      flops += countRaggedDotFlops(ragged);
    else if (auto call = dyn_cast<func::CallOp>(op))
      flops += countProductFlops(op, call.getCalleeAttr(), depth + 1);
  });
  return flops;
}

int64_t countFlops(Operation *op, const Rule &rule) {
  switch (classify(op)) {
  case OpClass::Contraction:
    if (auto convolution = dyn_cast<stablehlo::ConvolutionOp>(op))
      return countConvolutionFlops(convolution);
    if (auto ragged = dyn_cast<chlo::RaggedDotOp>(op))
      return countRaggedDotFlops(ragged);
    return 2 * countPoints(rule);
  case OpClass::Elementwise:
    return op->getNumResults() == 0 ? 0 : countElements(op->getResult(0));
  case OpClass::Reduction:
    return op->getNumOperands() == 0 ? 0 : countElements(op->getOperand(0));
  case OpClass::Opaque:
    if (auto kernel = dyn_cast<stablehlo::CompositeOp>(op))
      return countProductFlops(op, kernel.getDecompositionAttr());
    return 0;
  default:
    return 0;
  }
}

} // namespace partita::program
