//===- Linalg.h - solvers, FFT, batch normalization -----------------------===//
//
// These ops compute in double precision and round once: results are exact where
// the numbers are, else within the rounding of the type.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_LINALG_H
#define PARTITA_EVALUATE_OPS_LINALG_H

#include "partita/Dialect/StableHlo/LinalgOps.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Ops/Accumulation.h"
#include "partita/Evaluate/Rooms.h"

#include "llvm/ADT/Sequence.h"

namespace partita::evaluate {

// Solvers.cpp
Status evaluateCholesky(stablehlo::CholeskyOp op, Call &call);
Status evaluateTriangularSolve(stablehlo::TriangularSolveOp op, Call &call);
// Fft.cpp
Status evaluateFft(stablehlo::FftOp op, Call &call);
// BatchNorm.cpp
Status evaluateBatchNormTraining(stablehlo::BatchNormTrainingOp op, Call &call);
Status evaluateBatchNormInference(stablehlo::BatchNormInferenceOp op, Call &call);
Status evaluateBatchNormGrad(stablehlo::BatchNormGradOp op, Call &call);

/// The elements in row-major order, T being double or std::complex<double>.
template <typename T> std::vector<T> loadNumbers(const Tensor &tensor) {
  PackedElements<T> packed(tensor, llvm::to_vector(llvm::seq<int64_t>(0, tensor.getRank())));
  return std::vector<T>(packed.data(), packed.data() + tensor.size());
}

/// The numbers, rounded, as a tensor of `type`.
template <typename T> Tensor storeNumbers(llvm::ArrayRef<T> numbers, mlir::RankedTensorType type) {
  return unpackElements<T>(numbers, type, Mode::Float);
}

/// Calls `work` with a null pointer of the type in which elements of `type` are computed.
template <typename Work> decltype(auto) visitNumber(mlir::Type elementType, Work work) {
  if (mlir::isa<mlir::ComplexType>(elementType))
    return work(static_cast<std::complex<double> *>(nullptr));
  return work(static_cast<double *>(nullptr));
}

} // namespace partita::evaluate

#endif
