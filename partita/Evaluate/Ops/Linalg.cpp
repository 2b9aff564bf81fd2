//===- Linalg.cpp - registers solvers, FFT, batch normalization -----------===//

#include "partita/Evaluate/Ops/Linalg.h"

namespace partita::evaluate {

void registerLinalg(OpTable &table) {
  table.add<stablehlo::CholeskyOp, evaluateCholesky>();
  table.add<stablehlo::TriangularSolveOp, evaluateTriangularSolve>();
  table.add<stablehlo::FftOp, evaluateFft>();
  table.add<stablehlo::BatchNormTrainingOp, evaluateBatchNormTraining>();
  table.add<stablehlo::BatchNormInferenceOp, evaluateBatchNormInference>();
  table.add<stablehlo::BatchNormGradOp, evaluateBatchNormGrad>();
}

} // namespace partita::evaluate
