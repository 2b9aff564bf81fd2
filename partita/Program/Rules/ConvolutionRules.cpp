//===- ConvolutionRules.cpp - batch, features, groups and windows ---------===//
//
// For an input [n,h,i], a kernel [h,i,o] and a result [n,h,o]:
//
//   no groups       ([a,b,c],[d,c,e])->([a,f,e]) reduce(add)={c} window={b,d,f}
//   feature groups  input i = (gi), kernel i = i, kernel o = (go), result o = (go)
//   batch groups    input n = (gn), kernel o = (go), result n = n, result o = (go)
//
// g is parallel; splitting it divides the op's group count. Factors within a
// group can be split once g is split fully.
//
// Spatial dims are windows, except those whose blocks do not overlap. Result
// index o and kernel index k use input index i if o*stride + k*dilation - low
// is i*spread. Then, for k that is not reversed,
//
//   contracted   input (kr), kernel k reduce(add), result r or part of it:
//                r is the dilation and all o lie in one block of it. A window
//                over the whole input; the gradient of a cut dim's kernel.
//   cut          input (os), result o: windows lie in blocks of s, the stride. A
//                kernel of size one; patches, where s is the kernel's index and
//                reduce(add).
//   parted       input i, result (id): input elements are d, the spread, apart
//                and no window sees two. The gradient of a cut dim's input.
//
// Windows that reach into other blocks take edges of the neighbors' pieces
// (Exchanges.h), and zeros beyond the ends, as the padding has them. The dims are
// the same:
//
//   correlated   contracted, with a halo: the gradient of a sliding dim's kernel. Of
//                a spreading dim's kernel, too: kernel (id), d being the spread
//   sliding      cut, with a halo
//   spreading    parted, with a halo: the gradient of a strided dim's input
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/RuleBuilder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::program::rules {

static constexpr unsigned input = 0, kernel = 1;

//===----------------------------------------------------------------------===//
// Batch and features
//===----------------------------------------------------------------------===//

static void addBatchAndFeatures(stablehlo::ConvolutionOp op, RuleBuilder &rule) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimRef inputBatch = ofOperand(input, dims.getInputBatchDimension());
  DimRef inputFeature = ofOperand(input, dims.getInputFeatureDimension());
  DimRef kernelInput = ofOperand(kernel, dims.getKernelInputFeatureDimension());
  DimRef kernelOutput = ofOperand(kernel, dims.getKernelOutputFeatureDimension());
  DimRef resultBatch = ofResult(0, dims.getOutputBatchDimension());
  DimRef resultFeature = ofResult(0, dims.getOutputFeatureDimension());
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  // Groups come first: they are the major factors of their dims.
  rule.addParallel(featureGroups, {inputFeature, kernelOutput, resultFeature});
  rule.addParallel(batchGroups, {inputBatch, kernelOutput, resultFeature});
  rule.addParallel(rule.getSize(resultBatch), {inputBatch, resultBatch});
  rule.addParallel(rule.getSize(kernelOutput) / (featureGroups * batchGroups), {kernelOutput, resultFeature});
  rule.addSum(rule.getSize(kernelInput), {inputFeature, kernelInput});
}

//===----------------------------------------------------------------------===//
// Spatial dims
//===----------------------------------------------------------------------===//

namespace {

/// One spatial dim; absent attributes have their defaults. The padding at the end follows from the sizes.
struct SpatialDim {
  DimRef input, kernel, result;
  int64_t stride = 1, low = 0, inputDilation = 1, kernelDilation = 1;
  bool isReversed = false;
};

} // namespace

static SpatialDim getSpatialDim(stablehlo::ConvolutionOp op, unsigned index) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  SpatialDim dim{ofOperand(input, dims.getInputSpatialDimensions()[index]),
                 ofOperand(kernel, dims.getKernelSpatialDimensions()[index]),
                 ofResult(0, dims.getOutputSpatialDimensions()[index])};
  auto read = [&](std::optional<ArrayRef<int64_t>> values, int64_t &value) {
    if (values)
      value = (*values)[index];
  };
  read(op.getWindowStrides(), dim.stride);
  read(op.getLhsDilation(), dim.inputDilation);
  read(op.getRhsDilation(), dim.kernelDilation);
  if (op.getWindowReversal())
    dim.isReversed = (*op.getWindowReversal())[index];
  if (std::optional<DenseIntElementsAttr> padding = op.getPadding())
    dim.low = padding->getValues<int64_t>()[{index, 0}];
  return dim;
}

namespace {

/// What kind of spatial dim it is (see the head), by its sizes.
class SpatialKind {
public:
  SpatialKind(const SpatialDim &dim, const RuleBuilder &rule)
      : dim(dim), inputSize(rule.getSize(dim.input)), kernelSize(rule.getSize(dim.kernel)),
        resultSize(rule.getSize(dim.result)) {}

  bool isContracted() const {
    return isPlainInput() && keepsOrder() && inputSize == kernelSize * dim.kernelDilation &&
           (resultSize - 1) * dim.stride - dim.low < dim.kernelDilation;
  }
  /// Whether the result of a contracted dim has every index of a block.
  bool keepsBlock() const { return resultSize == dim.kernelDilation && dim.stride == 1; }

  bool isCut() const {
    return isPlainInput() && inputSize == resultSize * dim.stride && getSpan() - dim.low <= dim.stride;
  }
  /// Whether windows of a cut dim fill their blocks.
  bool isFilled() const { return kernelSize == dim.stride && dim.kernelDilation == 1 && keepsOrder(); }

  bool isParted() const {
    return dim.stride == 1 && resultSize == inputSize * dim.inputDilation && dim.low >= getSpan() - 1 &&
           dim.low < dim.inputDilation;
  }

  /// The halo of a correlated, a sliding or a spreading dim; nothing if it is none, or if its halo is the whole dim.
  std::optional<Halo> findCorrelated() const {
    if (dim.inputDilation != 1 || !keepsOrder() || kernelSize < 2 || inputSize != kernelSize * dim.kernelDilation)
      return std::nullopt;
    return limit({dim.low, (resultSize - 1) * dim.stride - dim.low - dim.kernelDilation + 1});
  }
  /// Of a correlated dim whose input is spread: the kernel has as many elements as the input has positions.
  std::optional<Halo> findSpreadCorrelated() const {
    int64_t spread = dim.inputDilation;
    if (spread == 1 || dim.kernelDilation != 1 || !keepsOrder() || inputSize < 2 || kernelSize != inputSize * spread)
      return std::nullopt;
    return limit({llvm::divideFloorSigned(dim.low, spread),
                  llvm::divideFloorSigned((resultSize - 1) * dim.stride - dim.low - 1, spread) + 1});
  }
  std::optional<Halo> findSliding() const {
    if (dim.inputDilation != 1 || resultSize < 2 || inputSize != resultSize * dim.stride)
      return std::nullopt;
    return limit({dim.low, getSpan() - dim.low - dim.stride});
  }
  std::optional<Halo> findSpreading() const {
    if (dim.stride != 1 || inputSize < 2 || resultSize != inputSize * dim.inputDilation)
      return std::nullopt;
    return limit({llvm::divideFloorSigned(dim.low, dim.inputDilation),
                  llvm::divideFloorSigned(getSpan() - 2 - dim.low, dim.inputDilation) + 1});
  }

private:
  /// Number of positions from the first to the last element of a window.
  int64_t getSpan() const { return (kernelSize - 1) * dim.kernelDilation + 1; }
  std::optional<Halo> limit(Halo halo) const {
    halo = {std::max<int64_t>(0, halo.low), std::max<int64_t>(0, halo.high)};
    return !halo.isEmpty() && halo.low + halo.high < inputSize ? std::optional(halo) : std::nullopt;
  }
  bool isPlainInput() const { return dim.inputDilation == 1 && dim.low <= 0; }
  bool keepsOrder() const { return kernelSize == 1 || !dim.isReversed; }

  const SpatialDim &dim;
  int64_t inputSize, kernelSize, resultSize;
};

} // namespace

/// A dim whose windows reach into other blocks; false if it is none.
static bool addHaloDim(const SpatialDim &dim, const SpatialKind &kind, RuleBuilder &rule) {
  std::optional<Halo> correlated = kind.findCorrelated(), sliding = kind.findSliding();
  // A kernel longer than the result is a value that is summed over.
  if (correlated && (!sliding || rule.getSize(dim.kernel) > rule.getSize(dim.result))) {
    rule.addSum(rule.getSize(dim.kernel), {dim.input, dim.kernel}, *correlated);
    rule.addWhole(dim.kernelDilation, dim.input);
    rule.addWindow(dim.result);
    return true;
  }
  if (sliding) {
    rule.addParallel(rule.getSize(dim.result), {dim.input, dim.result}, *sliding);
    rule.addWhole(dim.stride, dim.input);
    rule.addWindow(dim.kernel);
    return true;
  }
  std::optional<Halo> spreading = kind.findSpreading(), spread = kind.findSpreadCorrelated();
  if (spread && (!spreading || rule.getSize(dim.kernel) > rule.getSize(dim.result))) {
    rule.addSum(rule.getSize(dim.input), {dim.input, dim.kernel}, *spread);
    rule.addWhole(dim.inputDilation, dim.kernel);
    rule.addWindow(dim.result);
    return true;
  }
  if (spreading) {
    rule.addParallel(rule.getSize(dim.input), {dim.input, dim.result}, *spreading);
    rule.addWhole(dim.inputDilation, dim.result);
    rule.addWindow(dim.kernel);
    return true;
  }
  return false;
}

static void addSpatialDim(const SpatialDim &dim, bool mayExchange, RuleBuilder &rule) {
  SpatialKind kind(dim, rule);
  if (kind.isContracted()) {
    rule.addSum(rule.getSize(dim.kernel), {dim.input, dim.kernel});
    if (kind.keepsBlock())
      rule.addParallel(dim.kernelDilation, {dim.input, dim.result});
    else
      rule.addWhole(dim.kernelDilation, dim.input);
  } else if (kind.isCut()) {
    rule.addParallel(rule.getSize(dim.result), {dim.input, dim.result});
    if (kind.isFilled())
      rule.addSum(dim.stride, {dim.input, dim.kernel});
    else
      rule.addWhole(dim.stride, dim.input);
  } else if (kind.isParted()) {
    rule.addParallel(rule.getSize(dim.input), {dim.input, dim.result});
    rule.addWhole(dim.inputDilation, dim.result);
  } else if (!mayExchange || !addHaloDim(dim, kind, rule)) {
    rule.addWindow(dim.input);
    rule.addWindow(dim.kernel);
    rule.addWindow(dim.result);
  }
}

static OpRule ruleOfConvolution(stablehlo::ConvolutionOp op, RuleContext &) {
  RuleBuilder rule(op);
  if (!hasStaticShapes(op))
    return rule.finish("");
  addBatchAndFeatures(op, rule);
  // What comes in at the ends are zeros; of quantized elements, something else.
  bool mayExchange = !isQuantizedElement(getElementTypeOrSelf(op.getLhs())) && mayExchangeEdges(op.getLhs());
  for (unsigned index = 0; index < op.getDimensionNumbers().getInputSpatialDimensions().size(); ++index)
    addSpatialDim(getSpatialDim(op, index), mayExchange, rule);
  return rule.finish(
      "spatial dims stay whole if no piece of the input has the windows of a piece of the result: sizes that are no "
      "multiples of each other by stride or dilation, kernels as long as the dim; so do the kernel's own");
}

//===----------------------------------------------------------------------===//
// Local form
//===----------------------------------------------------------------------===//

/// Parts into which the group factor, the major one of `dim`, is split.
static int64_t getGroupParts(const LocalContext &local, int64_t groups, const DimFactors &dim) {
  const Split *split = groups > 1 && !dim.empty() ? local.find(dim.front()) : nullptr;
  return split ? split->parts : 1;
}

/// The split along which the input of a spatial dim exchanges edges; null if it has none.
static const Split *findHaloSplit(const LocalContext &local, const SpatialDim &dim) {
  const DimFactors &factors = local.rule.operands[input][dim.input.dim];
  const Split *split = factors.empty() ? nullptr : local.find(factors.front());
  return split && !local.rule.factors[split->factor].halo.isEmpty() ? split : nullptr;
}

/// The input with its neighbors' edges, and the padding that leaves each device its windows.
static Value emitHalos(stablehlo::ConvolutionOp op, const LocalContext &local, MutableArrayRef<int64_t> padding) {
  Value rows = local.operands[input];
  RankedTensorType result = local.getResultType(op, 0);
  for (unsigned index = 0; index < padding.size() / 2; ++index) {
    SpatialDim dim = getSpatialDim(op, index);
    const Split *split = findHaloSplit(local, dim);
    if (!split)
      continue;
    Halo halo = local.rule.factors[split->factor].halo;
    rows = emitHalo(local, op.getLoc(), rows, dim.input.dim, *split, halo);
    int64_t kernelRows = getShape(local.operands[kernel])[dim.kernel.dim];
    int64_t span = (kernelRows - 1) * dim.kernelDilation + 1;
    int64_t spread = (getShape(rows)[dim.input.dim] - 1) * dim.inputDilation + 1;
    int64_t &low = padding[2 * size_t(index)], &high = padding[2 * size_t(index) + 1];
    low = dim.low - halo.low * dim.inputDilation;
    high = (result.getDimSize(dim.result.dim) - 1) * dim.stride + span - spread - low;
  }
  return rows;
}

static Pieces localConvolution(stablehlo::ConvolutionOp op, const LocalContext &local) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  const ValueFactors &inputFactors = local.rule.operands[input];
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  featureGroups /= getGroupParts(local, featureGroups, inputFactors[dims.getInputFeatureDimension()]);
  batchGroups /= getGroupParts(local, batchGroups, inputFactors[dims.getInputBatchDimension()]);
  auto rank = static_cast<int64_t>(dims.getInputSpatialDimensions().size());
  SmallVector<int64_t> padding(2 * size_t(rank), 0);
  if (op.getPadding())
    llvm::copy(op.getPadding()->getValues<int64_t>(), padding.begin());
  Value rows = emitHalos(op, local, padding);
  SmallVector<Value> operands{rows, local.operands[kernel]};
  Pieces pieces = emitSame(op, {local.builder, local.rule, operands, local.splits});
  auto piece = pieces.front().getDefiningOp<stablehlo::ConvolutionOp>();
  if (rows != local.operands[input])
    piece.setPaddingAttr(
        DenseIntElementsAttr::get(RankedTensorType::get({rank, 2}, local.builder.getI64Type()), padding));
  piece.setFeatureGroupCount(featureGroups);
  piece.setBatchGroupCount(batchGroups);
  return pieces;
}

static OpRule ruleOfDynamicConv(stablehlo::DynamicConvOp op, RuleContext &) {
  return RuleBuilder(op).finish("a convolution whose padding is computed when the program runs is not split");
}

void registerConvolutionRules(RuleTable &table) {
  table.add<stablehlo::ConvolutionOp, ruleOfConvolution, localConvolution>();
  table.add<stablehlo::DynamicConvOp, ruleOfDynamicConv>();
}

} // namespace partita::program::rules
