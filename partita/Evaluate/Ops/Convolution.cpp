//===- Convolution.cpp - a kernel that slides over an input ---------------===//
//
// With batch n, output position p, output feature o:
//
//   result[n, p, o] = sum over taps (w, i) of p, sum over input features c of
//                     lhs[n, i, c] * rhs[w, c, o]
//
// The operands are transposed to this order of dims. The taps (Taps.h) leave
// out padding and holes. Feature groups divide c and o; batch groups divide n
// and o.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ContractionOps.h"
#include "partita/Dialect/StableHlo/ShapeOps.h"
#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Accumulation.h"
#include "partita/Evaluate/Ops/Contraction.h"
#include "partita/Evaluate/Ops/Matrix.h"
#include "partita/Evaluate/Ops/Taps.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// A convolution with its dims brought into order.
struct Convolving {
  SmallVector<int64_t> lhsDims, rhsDims, resultDims; ///< batch, spatial, feature; spatial, input, output
  SmallVector<int64_t> inputShape, kernelShape, counts;
  int64_t batches, inputFeatures, outputFeatures; ///< Of one group.
  int64_t featureGroups, batchGroups;
  SmallVector<bool> isReversed;
  SlidingWindow window;
};

} // namespace

static SmallVector<int64_t> getSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return shape[dim]; });
}

static SlidingWindow buildWindow(stablehlo::ConvolutionOp op, ArrayRef<int64_t> inputShape,
                                 ArrayRef<int64_t> kernelShape, ArrayRef<int64_t> counts) {
  SmallVector<stablehlo::WindowDim> window =
      buildWindow({.sizes = kernelShape,
                   .strides = op.getWindowStrides().value_or(ArrayRef<int64_t>()),
                   .baseDilations = op.getLhsDilation().value_or(ArrayRef<int64_t>()),
                   .windowDilations = op.getRhsDilation().value_or(ArrayRef<int64_t>()),
                   .padding = op.getPaddingAttr()});
  return SlidingWindow(window, inputShape, counts);
}

static Convolving buildConvolving(stablehlo::ConvolutionOp op, const Tensor &lhs, const Tensor &rhs) {
  auto numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> result = resultType(op).getShape();
  SmallVector<int64_t> inputShape = getSizes(lhs.getShape(), numbers.getInputSpatialDimensions());
  SmallVector<int64_t> kernelShape = getSizes(rhs.getShape(), numbers.getKernelSpatialDimensions());
  SmallVector<int64_t> counts = getSizes(result, numbers.getOutputSpatialDimensions());
  SlidingWindow window = buildWindow(op, inputShape, kernelShape, counts);
  int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  SmallVector<bool> isReversed(inputShape.size(), false);
  if (std::optional<ArrayRef<bool>> reversal = op.getWindowReversal(); reversal && !reversal->empty())
    isReversed.assign(reversal->begin(), reversal->end());
  return {joinDims({numbers.getInputBatchDimension(), numbers.getInputSpatialDimensions(),
                    numbers.getInputFeatureDimension()}),
          joinDims({numbers.getKernelSpatialDimensions(), numbers.getKernelInputFeatureDimension(),
                    numbers.getKernelOutputFeatureDimension()}),
          joinDims({numbers.getOutputBatchDimension(), numbers.getOutputSpatialDimensions(),
                    numbers.getOutputFeatureDimension()}),
          inputShape,
          kernelShape,
          counts,
          result[numbers.getOutputBatchDimension()],
          lhs.getDim(numbers.getInputFeatureDimension()) / featureGroups,
          result[numbers.getOutputFeatureDimension()] / (featureGroups * batchGroups),
          featureGroups,
          batchGroups,
          isReversed,
          std::move(window)};
}

/// Strides of the kernel's spatial dims, and where its first element is: a reversed dim runs backwards.
static Box getKernelBox(const Convolving &conv, int64_t elementStride) {
  Box box = getWhole(conv.kernelShape);
  for (auto [dim, stride] : llvm::enumerate(box.strides)) {
    stride *= elementStride;
    if (!conv.isReversed[dim])
      continue;
    box.offset += (conv.kernelShape[dim] - 1) * stride;
    stride = -stride;
  }
  return box;
}

/// Adds the taps of one output position to `sums`, its features of one group.
template <typename T>
static void addTaps(const SlidingWindow::View &view, const T *input, const T *kernel, T *sums, MatrixSizes sizes) {
  for (BoxWalk taps = view.walk(); taps.isInside(); taps.next())
    multiplyMatrices(input + view.operandBegin + taps.offset(0), kernel + view.windowBegin + taps.offset(1), sums,
                     sizes);
}

template <typename T> static std::vector<T> convolve(const Convolving &conv, const T *input, const T *kernel) {
  int64_t groups = conv.featureGroups * conv.batchGroups;
  int64_t allInputs = conv.inputFeatures * conv.featureGroups, allOutputs = conv.outputFeatures * groups;
  SmallVector<int64_t> inputStrides = computeStrides(conv.inputShape);
  for (int64_t &stride : inputStrides)
    stride *= allInputs;
  Box kernelBox = getKernelBox(conv, conv.inputFeatures * allOutputs);
  int64_t inputSize = stablehlo::countElements(conv.inputShape) * allInputs;
  int64_t positions = stablehlo::countElements(conv.counts);
  std::vector<T> sums(conv.batches * positions * allOutputs);
  MatrixSizes sizes{1, conv.outputFeatures, conv.inputFeatures, allInputs, allOutputs, allOutputs};
  BoxWalk walk(conv.counts, {computeStrides(conv.counts)});
  for (; walk.isInside(); walk.next()) {
    SlidingWindow::View view = conv.window.look(walk.getIndex(), inputStrides, kernelBox.strides);
    for (int64_t batch = 0; batch < conv.batches; ++batch)
      for (int64_t group = 0; group < groups; ++group) {
        // With batch groups, every group sees all input features of its own batches.
        int64_t inputBatch = conv.batchGroups > 1 ? group * conv.batches + batch : batch;
        int64_t inputFeature = conv.featureGroups > 1 ? group * conv.inputFeatures : 0;
        int64_t output = group * conv.outputFeatures;
        addTaps(view, input + inputBatch * inputSize + inputFeature, kernel + kernelBox.offset + output,
                sums.data() + (batch * positions + walk.offset(0)) * allOutputs + output, sizes);
      }
  }
  return sums;
}

/// Transposes `tensor`, whose dims have the order `dims` of the result, back to the result's order.
static Tensor restoreOrder(const Tensor &tensor, ArrayRef<int64_t> dims, RankedTensorType type) {
  Tensor result(type, tensor.getMode());
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  copyBox(result, {0, getSizes(strides, dims)}, tensor, getWhole(tensor.getShape()), tensor.getShape());
  return result;
}

static Status evaluateConvolution(stablehlo::ConvolutionOp op, Call &call) {
  const Tensor &lhs = call.operands[0], &rhs = call.operands[1];
  RankedTensorType type = resultType(op);
  Convolving conv = buildConvolving(op, lhs, rhs);
  RankedTensorType ordered = RankedTensorType::get(getSizes(type.getShape(), conv.resultDims), type.getElementType());
  StorageKind kind = getAccumulatorKind(lhs, rhs, type.getElementType());
  Tensor result = visitAccumulator(kind, [&]<typename T>(T *) {
    PackedElements<T> input(lhs, conv.lhsDims), kernel(rhs, conv.rhsDims);
    return unpackElements<T>(convolve(conv, input.data(), kernel.data()), ordered, call.mode);
  });
  call.results.push_back(restoreOrder(result, conv.resultDims, type));
  return std::nullopt;
}

void registerConvolution(OpTable &table) { table.add<stablehlo::ConvolutionOp, evaluateConvolution>(); }

} // namespace partita::evaluate
