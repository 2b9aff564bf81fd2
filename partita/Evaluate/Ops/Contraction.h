//===- Contraction.h - dots, ragged dots and einsum -----------------------===//
//
// Functions that the sources of contractions share. Contraction.cpp registers
// all of them; Accumulation.h says in which type sums are computed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_EVALUATE_OPS_CONTRACTION_H
#define PARTITA_EVALUATE_OPS_CONTRACTION_H

#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/StableHlo/ContractionOps.h"
#include "partita/Dialect/StableHlo/DotShape.h"
#include "partita/Evaluate/OpTable.h"
#include "partita/Evaluate/Rooms.h"

namespace partita::evaluate {

/// result[b, i, j] = sum over k of lhs[b, i, k] * rhs[b, k, j], each letter standing for the dims of one role.
Tensor computeDot(const Tensor &lhs, const Tensor &rhs, const stablehlo::DotDims &dims, mlir::RankedTensorType type);

// RaggedDot.cpp
Status evaluateRaggedDot(chlo::RaggedDotOp op, Call &call);
// Einsum.cpp
Status evaluateEinsum(stablehlo::EinsumOp op, Call &call);
Status evaluateUnaryEinsum(stablehlo::UnaryEinsumOp op, Call &call);

/// The product of the sizes of `dims`.
int64_t computeSize(const Tensor &tensor, llvm::ArrayRef<int64_t> dims);

/// Concatenates the lists.
llvm::SmallVector<int64_t> joinDims(llvm::ArrayRef<llvm::ArrayRef<int64_t>> lists);

} // namespace partita::evaluate

#endif
