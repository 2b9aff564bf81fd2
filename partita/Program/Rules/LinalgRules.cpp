//===- LinalgRules.cpp - solvers, FFT, batch normalization ----------------===//
//
// Each matrix (or signal) of a batch is computed alone, so batch dims are
// parallel. So are the right-hand sides of a triangular solve.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Rules/LeadingDims.h"

using namespace mlir;

namespace partita::program::rules {

static OpRule ruleOfCholesky(stablehlo::CholeskyOp op, RuleContext &) {
  OpRule result = makeRule(op);
  addLeadingDims(op, result, getShape(op.getA()).size() - 2);
  result.whole = "rows and columns of the matrix";
  return result;
}

/// Each column of b is solved alone, or each row if a is on the right.
static OpRule ruleOfTriangularSolve(stablehlo::TriangularSolveOp op, RuleContext &) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op.getB());
  size_t rank = shape.size(), free = op.getLeftSide() ? rank - 1 : rank - 2;
  if (shape[free] > 1) {
    uint8_t factor = rule.addFactor(FactorKind::Parallel, shape[free]);
    rule.operands[1][free].push_back(factor);
    rule.results[0][free].push_back(factor);
  }
  addLeadingDims(op, result, rank - 2);
  result.whole = "rows and columns of the triangular matrix";
  return result;
}

static OpRule ruleOfFft(stablehlo::FftOp op, RuleContext &) {
  OpRule result = makeRule(op);
  addLeadingDims(op, result, getShape(op.getOperand()).size() - op.getFftLength().size());
  result.whole = "dims that are transformed";
  return result;
}

//===----------------------------------------------------------------------===//
// Batch normalization
//===----------------------------------------------------------------------===//

/// One factor for the feature dim, which is the only dim of the vectors. Other dims are parallel if each element is
/// normalized alone; statistics over them need the whole.
static OpRule makeBatchNormRule(Operation *op, int64_t featureIndex, bool isElementwise) {
  OpRule result = makeRule(op);
  Rule &rule = result.rule;
  ArrayRef<int64_t> shape = getShape(op->getOperand(0));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t size = shape[dim];
    if (size <= 1)
      continue;
    bool isFeature = static_cast<int64_t>(dim) == featureIndex;
    uint8_t factor = rule.addFactor(isFeature || isElementwise ? FactorKind::Parallel : FactorKind::Replicate, size);
    auto put = [&](ValueFactors &value) {
      if (value.size() == shape.size())
        value[dim].push_back(factor);
      else if (isFeature)
        value[0].push_back(factor);
    };
    llvm::for_each(rule.operands, put);
    llvm::for_each(rule.results, put);
  }
  return result;
}

static OpRule ruleOfBatchNormInference(stablehlo::BatchNormInferenceOp op, RuleContext &) {
  return makeBatchNormRule(op, op.getFeatureIndex(), /*isElementwise=*/true);
}

template <typename OpT> static OpRule ruleOfBatchNorm(OpT op, RuleContext &) {
  OpRule result = makeBatchNormRule(op, op.getFeatureIndex(), /*isElementwise=*/false);
  result.whole = "dims that mean and variance are taken over: results need them whole";
  return result;
}

void registerLinalgRules(RuleTable &table) {
  table.add<stablehlo::CholeskyOp, ruleOfCholesky>();
  table.add<stablehlo::TriangularSolveOp, ruleOfTriangularSolve>();
  table.add<stablehlo::FftOp, ruleOfFft>();
  table.add<stablehlo::BatchNormInferenceOp, ruleOfBatchNormInference>();
  table.add<stablehlo::BatchNormTrainingOp, ruleOfBatchNorm<stablehlo::BatchNormTrainingOp>>();
  table.add<stablehlo::BatchNormGradOp, ruleOfBatchNorm<stablehlo::BatchNormGradOp>>();
}

} // namespace partita::program::rules
