//===- ConvolutionRules.cpp - batch, features, groups and windows ---------===//
//
// Of an input [n,h,i], a kernel [h,i,o] and a result [n,h,o]:
//
//   no groups       ([a,b,c],[d,c,e])->([a,f,e]) reduce(add)={c} window={b,d,f}
//   feature groups  input i = (gi), kernel i = i, kernel o = (go), result o = (go)
//   batch groups    input n = (gn), kernel o = (go), result n = n, result o = (go)
//
// g is parallel, and splitting it divides the op's group count; what is within
// a group can be split once g is split fully.
//
// Spatial dims are windows but for two kinds. Where the kernel has size one and
// nothing is strided, padded or dilated, each place of the result is one of the
// input: parallel. Where the window is the whole input, so that the result has
// size one, the dim is contracted: reduce.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/RuleBuilder.h"

using namespace mlir;

namespace partita::rules {

static constexpr unsigned input = 0, kernel = 1;

//===----------------------------------------------------------------------===//
// Batch and features
//===----------------------------------------------------------------------===//

static void addBatchAndFeatures(stablehlo::ConvolutionOp op, RuleBuilder &rule) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  DimPlace inputBatch = ofOperand(input, dims.getInputBatchDimension());
  DimPlace inputFeature = ofOperand(input, dims.getInputFeatureDimension());
  DimPlace kernelInput = ofOperand(kernel, dims.getKernelInputFeatureDimension());
  DimPlace kernelOutput = ofOperand(kernel, dims.getKernelOutputFeatureDimension());
  DimPlace resultBatch = ofResult(0, dims.getOutputBatchDimension());
  DimPlace resultFeature = ofResult(0, dims.getOutputFeatureDimension());
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

/// One spatial dim; attributes that are left out have their defaults.
struct SpatialDim {
  DimPlace input, kernel, result;
  int64_t stride = 1, low = 0, high = 0, inputDilation = 1, kernelDilation = 1;
  bool isReversed = false;

  bool isPlain() const { return low == 0 && high == 0 && inputDilation == 1; }
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
  if (std::optional<DenseIntElementsAttr> padding = op.getPadding()) {
    dim.low = padding->getValues<int64_t>()[{index, 0}];
    dim.high = padding->getValues<int64_t>()[{index, 1}];
  }
  return dim;
}

static void addSpatialDim(const SpatialDim &dim, RuleBuilder &rule) {
  int64_t inputSize = rule.getSize(dim.input), kernelSize = rule.getSize(dim.kernel);
  if (dim.isPlain() && kernelSize == 1 && dim.stride == 1) {
    rule.addParallel(inputSize, {dim.input, dim.result});
    return;
  }
  if (dim.isPlain() && kernelSize == inputSize && dim.kernelDilation == 1 && !dim.isReversed) {
    rule.addSum(inputSize, {dim.input, dim.kernel});
    return;
  }
  rule.addWindow(dim.input);
  rule.addWindow(dim.kernel);
  rule.addWindow(dim.result);
}

static OpRule ruleOfConvolution(stablehlo::ConvolutionOp op, RuleContext &) {
  RuleBuilder rule(op);
  if (!hasStaticShapes(op))
    return rule.finish("");
  addBatchAndFeatures(op, rule);
  for (unsigned index = 0; index < op.getDimensionNumbers().getInputSpatialDimensions().size(); ++index)
    addSpatialDim(getSpatialDim(op, index), rule);
  return rule.finish("spatial dims with a window stay whole: each place needs its neighbours");
}

//===----------------------------------------------------------------------===//
// Local form
//===----------------------------------------------------------------------===//

/// Parts into which the group factor, the major one of `dim`, is split.
static int64_t getGroupParts(const LocalContext &local, int64_t groups, const DimFactors &dim) {
  const Split *split = groups > 1 && !dim.empty() ? local.find(dim.front()) : nullptr;
  return split ? split->parts : 1;
}

static Pieces localConvolution(stablehlo::ConvolutionOp op, const LocalContext &local) {
  stablehlo::ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  const ValueFactors &inputFactors = local.rule.operands[input];
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  featureGroups /= getGroupParts(local, featureGroups, inputFactors[dims.getInputFeatureDimension()]);
  batchGroups /= getGroupParts(local, batchGroups, inputFactors[dims.getInputBatchDimension()]);
  Pieces pieces = emitSame(op, local);
  auto piece = pieces.front().getDefiningOp<stablehlo::ConvolutionOp>();
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

} // namespace partita::rules
