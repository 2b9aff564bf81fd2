//===- BatchNorm.cpp - batch normalization --------------------------------===//
//
// With m the mean and v the variance of one feature f over all other dims, N
// elements in all:
//
//   inference      y = (x - m) / sqrt(v + epsilon) * scale[f] + offset[f]
//   training       the same, m = sum(x)/N and v = sum((x - m)^2)/N being computed and returned
//   gradients, of y's gradient g, with s = 1/sqrt(v + epsilon):
//     grad_offset  = sum(g)
//     grad_scale   = sum(g * (x - m)) * s
//     grad_operand = scale[f] * s * (g - sum(g)/N - (x - m) * s^2 * sum(g * (x - m))/N)
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Linalg.h"
#include "partita/Evaluate/Ops/RingDigest.h"

#include <cmath>

using namespace mlir;

namespace partita::evaluate {

namespace {

/// The elements of each feature: `outer` runs of `inner` elements.
struct Features {
  int64_t count, outer, inner;

  Features(ArrayRef<int64_t> shape, int64_t featureDim) : count(shape[featureDim]), outer(1), inner(1) {
    for (int64_t size : shape.take_front(featureDim))
      outer *= size;
    for (int64_t size : shape.drop_front(featureDim + 1))
      inner *= size;
  }

  int64_t getSize() const { return outer * inner; }

  /// Calls `work` with the position of each element of `feature`, in order.
  template <typename Work> void visit(int64_t feature, Work work) const {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i)
        work((o * count + feature) * inner + i);
  }
};

} // namespace

static Features getFeatures(const Tensor &operand, int64_t featureDim) {
  return Features(operand.getShape(), featureDim);
}

/// Exact mode: every result of a feature is a hash of all numbers of that feature. `tensors` says which operands have
/// the shape of operand 0; the others have one number per feature.
static void hashFeatures(StringRef function, Operation *op, const Features &features, ArrayRef<unsigned> tensors,
                         Call &call) {
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    call.results.emplace_back(resultType(op, i), call.mode);
  for (int64_t feature = 0; feature < features.count; ++feature) {
    RingDigest digest(function);
    for (unsigned i = 0; i < call.operands.size(); ++i)
      if (llvm::is_contained(tensors, i))
        features.visit(feature, [&](int64_t at) { digest.add(call.operands[i], at, 1); });
      else
        digest.add(call.operands[i], feature, 1);
    uint64_t position = 0;
    features.visit(feature, [&](int64_t at) { digest.store(call.results[0], at, position++); });
    for (Tensor &vector : MutableArrayRef<Tensor>(call.results).drop_front())
      digest.store(vector, feature, position++);
  }
}

/// The same where each element depends on itself and on the numbers of its feature alone.
static void hashElements(Operation *op, const Features &features, Call &call) {
  Tensor &result = call.results.emplace_back(resultType(op), call.mode);
  for (int64_t feature = 0; feature < features.count; ++feature)
    features.visit(feature, [&](int64_t at) {
      RingDigest digest("batch_norm_inference");
      digest.add(call.operands[0], at, 1);
      for (const Tensor &vector : call.operands.drop_front())
        digest.add(vector, feature, 1);
      digest.store(result, at, 0);
    });
}

//===----------------------------------------------------------------------===//
// Inference and training
//===----------------------------------------------------------------------===//

Status evaluateBatchNormInference(stablehlo::BatchNormInferenceOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Features features = getFeatures(operand, op.getFeatureIndex());
  if (call.mode == Mode::Exact) {
    hashElements(op, features, call);
    return std::nullopt;
  }
  std::vector<double> x = loadNumbers<double>(operand), scale = loadNumbers<double>(call.operands[1]);
  std::vector<double> offset = loadNumbers<double>(call.operands[2]), mean = loadNumbers<double>(call.operands[3]);
  std::vector<double> variance = loadNumbers<double>(call.operands[4]);
  double epsilon = op.getEpsilon().convertToFloat();
  for (int64_t f = 0; f < features.count; ++f) {
    double inverse = 1 / std::sqrt(variance[f] + epsilon);
    features.visit(f, [&](int64_t at) { x[at] = (x[at] - mean[f]) * inverse * scale[f] + offset[f]; });
  }
  call.results.push_back(storeNumbers<double>(x, resultType(op)));
  return std::nullopt;
}

Status evaluateBatchNormTraining(stablehlo::BatchNormTrainingOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Features features = getFeatures(operand, op.getFeatureIndex());
  if (call.mode == Mode::Exact) {
    hashFeatures("batch_norm_training", op, features, 0u, call);
    return std::nullopt;
  }
  std::vector<double> x = loadNumbers<double>(operand), scale = loadNumbers<double>(call.operands[1]);
  std::vector<double> offset = loadNumbers<double>(call.operands[2]);
  std::vector<double> mean(features.count), variance(features.count);
  double epsilon = op.getEpsilon().convertToFloat();
  for (int64_t f = 0; f < features.count; ++f) {
    features.visit(f, [&](int64_t at) { mean[f] += x[at]; });
    mean[f] /= features.getSize();
    features.visit(f, [&](int64_t at) { variance[f] += (x[at] - mean[f]) * (x[at] - mean[f]); });
    variance[f] /= features.getSize();
    double inverse = 1 / std::sqrt(variance[f] + epsilon);
    features.visit(f, [&](int64_t at) { x[at] = (x[at] - mean[f]) * inverse * scale[f] + offset[f]; });
  }
  call.results.push_back(storeNumbers<double>(x, resultType(op, 0)));
  call.results.push_back(storeNumbers<double>(mean, resultType(op, 1)));
  call.results.push_back(storeNumbers<double>(variance, resultType(op, 2)));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

Status evaluateBatchNormGrad(stablehlo::BatchNormGradOp op, Call &call) {
  const Tensor &operand = call.operands[0];
  Features features = getFeatures(operand, op.getFeatureIndex());
  if (call.mode == Mode::Exact) {
    hashFeatures("batch_norm_grad", op, features, {0u, 4u}, call);
    return std::nullopt;
  }
  std::vector<double> x = loadNumbers<double>(operand), scale = loadNumbers<double>(call.operands[1]);
  std::vector<double> mean = loadNumbers<double>(call.operands[2]), variance = loadNumbers<double>(call.operands[3]);
  std::vector<double> g = loadNumbers<double>(call.operands[4]);
  std::vector<double> gradScale(features.count), gradOffset(features.count);
  double epsilon = op.getEpsilon().convertToFloat(), size = features.getSize();
  for (int64_t f = 0; f < features.count; ++f) {
    double centred = 0, inverse = 1 / std::sqrt(variance[f] + epsilon);
    features.visit(f, [&](int64_t at) {
      gradOffset[f] += g[at];
      centred += g[at] * (x[at] - mean[f]);
    });
    gradScale[f] = centred * inverse;
    features.visit(f, [&](int64_t at) {
      double correction = (x[at] - mean[f]) * inverse * inverse * centred / size;
      g[at] = scale[f] * inverse * (g[at] - gradOffset[f] / size - correction);
    });
  }
  call.results.push_back(storeNumbers<double>(g, resultType(op, 0)));
  call.results.push_back(storeNumbers<double>(gradScale, resultType(op, 1)));
  call.results.push_back(storeNumbers<double>(gradOffset, resultType(op, 2)));
  return std::nullopt;
}

} // namespace partita::evaluate
