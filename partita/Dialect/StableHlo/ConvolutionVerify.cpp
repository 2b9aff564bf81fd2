//===- ConvolutionVerify.cpp - verifies convolutions ----------------------===//
//
// `convolution` and `dynamic_conv` have the same constraints under the same
// labels. They differ only in where the padding comes from.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ContractionConstraints.h"
#include "partita/Dialect/StableHlo/ContractionOps.h"
#include "partita/Dialect/StableHlo/Window.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

namespace partita::stablehlo {

/// Success if the roles of a tensor's dims name each dim once.
static LogicalResult verifyRoles(Operation *op, StringRef label, int64_t rank, int64_t first, int64_t second,
                                 ArrayRef<int64_t> spatial) {
  SmallVector<int64_t> dims{first, second};
  llvm::append_range(dims, spatial);
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= rank)
      return op->emitOpError() << label << " requires dimension numbers in [0, " << rank << "), got " << dim;
    if (!seen.insert(dim).second)
      return op->emitOpError() << label << " requires distinct dimension numbers, got " << dim << " twice";
  }
  return success();
}

/// C12 to C20 as far as they speak of dimension numbers: they give each dim of the three tensors one role.
static LogicalResult verifyDimensionNumbers(Operation *op, ConvDimensionNumbersAttr numbers, int64_t rank) {
  size_t spatial = numbers.getInputSpatialDimensions().size();
  if (spatial != numbers.getKernelSpatialDimensions().size())
    return op->emitOpError("(C17) requires as many spatial dimensions of the kernel as of the input");
  if (spatial != numbers.getOutputSpatialDimensions().size())
    return op->emitOpError("(C19) requires as many spatial dimensions of the output as of the input");
  if (failed(verifyRoles(op, "(C13) input", rank, numbers.getInputBatchDimension(), numbers.getInputFeatureDimension(),
                         numbers.getInputSpatialDimensions())) ||
      failed(verifyRoles(op, "(C18) kernel", rank, numbers.getKernelInputFeatureDimension(),
                         numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions())) ||
      failed(verifyRoles(op, "(C20) output", rank, numbers.getOutputBatchDimension(),
                         numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions())))
    return failure();
  if (rank != static_cast<int64_t>(spatial) + 2)
    return op->emitOpError("(C12) requires ") << rank - 2 << " spatial dimensions, got " << spatial;
  return success();
}

/// Success if `size` is dynamic or a multiple of `count`.
static LogicalResult verifyDivisible(Operation *op, StringRef label, int64_t size, StringRef countName, int64_t count) {
  if (!ShapedType::isDynamic(size) && size % count != 0)
    return op->emitOpError() << label << " of size " << size << " must be divisible by " << countName << " = " << count;
  return success();
}

template <typename ConvOp> static LogicalResult verifyGroups(ConvOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  if (featureGroups > 1 && batchGroups > 1)
    return op.emitOpError("(C23) requires feature_group_count or batch_group_count to be 1");
  int64_t inputFeatures = lhs.getDimSize(numbers.getInputFeatureDimension());
  int64_t kernelInputs = rhs.getDimSize(numbers.getKernelInputFeatureDimension());
  int64_t kernelOutputs = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  if (failed(verifyDivisible(op, "(C10) input batch dimension", batch, "batch_group_count", batchGroups)) ||
      failed(
          verifyDivisible(op, "(C11) input feature dimension", inputFeatures, "feature_group_count", featureGroups)) ||
      failed(verifyDivisible(op, "(C15) kernel output feature dimension", kernelOutputs, "batch_group_count",
                             batchGroups)) ||
      failed(verifyDivisible(op, "(C16) kernel output feature dimension", kernelOutputs, "feature_group_count",
                             featureGroups)))
    return failure();
  bool areStatic = !ShapedType::isDynamic(inputFeatures) && !ShapedType::isDynamic(kernelInputs);
  if (areStatic && inputFeatures / featureGroups != kernelInputs)
    return op.emitOpError("(C14) requires a kernel input feature dimension of ")
           << inputFeatures / featureGroups << ", got " << kernelInputs;
  return success();
}

/// What holds whatever the padding is.
template <typename ConvOp> static LogicalResult verifyOperands(ConvOp op) {
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  if (lhs.getRank() != rhs.getRank())
    return op.emitOpError("(C1) requires operands of one rank, got ") << lhs << " and " << rhs;
  if (lhs.getRank() < 2)
    return op.emitOpError("(C13) requires operands of rank 2 or more, got ") << lhs;
  if (!isQuantized(lhs) && !isQuantized(rhs) && !areCompatibleElementTypes(lhs, rhs))
    return op.emitOpError("(C27) requires equal element types of operands, got ") << lhs << " and " << rhs;
  if (failed(verifyDimensionNumbers(op, op.getDimensionNumbers(), lhs.getRank())) || failed(verifyGroups(op)))
    return failure();
  return verifyPrecisionConfig(op.getLoc(), op.getPrecisionConfig(), "(C24) precision_config");
}

static constexpr WindowLabels windowLabels = {
    .positiveSizes = "kernel",
    .numStrides = "(C2)",
    .positiveStrides = "(C3)",
    .numBaseDilations = "(C5)",
    .positiveBaseDilations = "(C6)",
    .numWindowDilations = "(C7)",
    .positiveWindowDilations = "(C8)",
    .paddingShape = "(C4)",
};

static SmallVector<int64_t> getSizes(RankedTensorType type, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return type.getDimSize(dim); });
}

/// How many windows fit along the spatial dims, in their order.
template <typename ConvOp>
static FailureOr<SmallVector<int64_t>> computeSpatialSizes(ConvOp op, DenseIntElementsAttr padding) {
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  SmallVector<int64_t> kernelSizes = getSizes(op.getRhs().getType(), numbers.getKernelSpatialDimensions());
  size_t reversals = op.getWindowReversal().value_or(ArrayRef<bool>()).size();
  if (reversals != 0 && reversals != kernelSizes.size())
    return op.emitOpError("(C9) requires one window_reversal per spatial dimension, got ") << reversals;
  WindowAttrs attrs = {.sizes = kernelSizes,
                       .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
                       .baseDilations = op.getLhsDilation().value_or(ArrayRef<int64_t>()),
                       .windowDilations = op.getRhsDilation().value_or(ArrayRef<int64_t>()),
                       .padding = padding};
  FailureOr<SmallVector<WindowDim>> window = buildWindow(op.getLoc(), attrs, windowLabels);
  if (failed(window))
    return failure();
  return computeWindowCounts(op.getLoc(), getSizes(op.getLhs().getType(), numbers.getInputSpatialDimensions()),
                             *window);
}

/// The result's shape: windows per spatial dim, batches per group, the kernel's output features.
static FailureOr<SmallVector<int64_t>> inferShape(ConvolutionOp op) {
  FailureOr<SmallVector<int64_t>> spatialSizes = computeSpatialSizes(op, op.getPaddingAttr());
  if (failed(spatialSizes))
    return failure();
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  RankedTensorType lhs = op.getLhs().getType();
  SmallVector<int64_t> shape(lhs.getRank());
  for (auto [dim, size] : llvm::zip_equal(numbers.getOutputSpatialDimensions(), *spatialSizes))
    shape[dim] = size;
  int64_t batch = lhs.getDimSize(numbers.getInputBatchDimension());
  int64_t batchGroups = op.getBatchGroupCount();
  shape[numbers.getOutputBatchDimension()] = ShapedType::isDynamic(batch) ? batch : batch / batchGroups;
  shape[numbers.getOutputFeatureDimension()] =
      op.getRhs().getType().getDimSize(numbers.getKernelOutputFeatureDimension());
  return shape;
}

/// Success if `type` is not quantized along another axis than `dim`.
static LogicalResult verifyQuantizedAxis(Operation *op, StringRef label, Type type, int64_t dim) {
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(type));
  if (perAxis && perAxis.getQuantizedDimension() != dim)
    return op->emitOpError() << label << " requires quantization along dimension " << dim << ", got " << type;
  return success();
}

template <typename ConvOp> static LogicalResult verifyQuantization(ConvOp op) {
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType(), result = op.getResult().getType();
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result))
    return success();
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  if (failed(verifyQuantizedAxis(op, "(C29) rhs", rhs, numbers.getKernelOutputFeatureDimension())) ||
      failed(verifyQuantizedAxis(op, "(C30) result", result, numbers.getOutputFeatureDimension())))
    return failure();
  return verifyQuantizedContraction(op.getLoc(), lhs, rhs, result, {"(C28)", "(C31)", "(C32)", "(C33)", "(C34)"});
}

LogicalResult ConvolutionOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = inferShape(*this);
  if (failed(shape))
    return failure();
  RankedTensorType result = getResult().getType();
  if (failed(verifyCompatibleShape(*shape, result.getShape())))
    return emitOpError("(C25) requires a result of type ")
           << RankedTensorType::get(*shape, result.getElementType()) << ", got " << result;
  return verifyQuantization(*this);
}

/// A constant of any integers as one of i64.
static DenseIntElementsAttr widen(DenseIntElementsAttr attr) {
  auto values = llvm::map_to_vector(attr.getValues<APInt>(), [](const APInt &value) { return value.getSExtValue(); });
  auto type = RankedTensorType::get(attr.getType().getShape(), IntegerType::get(attr.getContext(), 64));
  return DenseIntElementsAttr::get(type, ArrayRef(values));
}

LogicalResult DynamicConvOp::verify() {
  if (failed(verifyOperands(*this)))
    return failure();
  RankedTensorType type = getPadding().getType();
  int64_t spatial = getLhs().getType().getRank() - 2;
  if (type.getShape() != ArrayRef<int64_t>{spatial, 2})
    return emitOpError("(C4) requires padding of shape [") << spatial << ", 2], got " << type;
  // Window attributes are verified only where the padding is known, since sizes follow from both.
  DenseIntElementsAttr padding;
  if (matchPattern(getPadding(), m_Constant(&padding)) && failed(computeSpatialSizes(*this, widen(padding))))
    return failure();
  return verifyQuantization(*this);
}

} // namespace partita::stablehlo
