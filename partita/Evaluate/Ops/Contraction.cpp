//===- Contraction.cpp - dots, and registration of the family -------------===//

#include "partita/Evaluate/Ops/Contraction.h"

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Accumulation.h"
#include "partita/Evaluate/Ops/Matrix.h"

using namespace mlir;

namespace partita::evaluate {

int64_t computeSize(const Tensor &tensor, ArrayRef<int64_t> dims) {
  int64_t size = 1;
  for (int64_t dim : dims)
    size *= tensor.getDim(dim);
  return size;
}

SmallVector<int64_t> joinDims(ArrayRef<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> joined;
  for (ArrayRef<int64_t> list : lists)
    llvm::append_range(joined, list);
  return joined;
}

Tensor computeDot(const Tensor &lhs, const Tensor &rhs, const stablehlo::DotDims &dims, RankedTensorType type) {
  SmallVector<int64_t> lhsFree = stablehlo::getOtherDims(lhs.getRank(), {dims.lhsBatching, dims.lhsContracting});
  SmallVector<int64_t> rhsFree = stablehlo::getOtherDims(rhs.getRank(), {dims.rhsBatching, dims.rhsContracting});
  int64_t batches = computeSize(lhs, dims.lhsBatching), depth = computeSize(lhs, dims.lhsContracting);
  int64_t rows = computeSize(lhs, lhsFree), columns = computeSize(rhs, rhsFree);
  SmallVector<int64_t> lhsOrder = joinDims({dims.lhsBatching, lhsFree, dims.lhsContracting});
  SmallVector<int64_t> rhsOrder = joinDims({dims.rhsBatching, dims.rhsContracting, rhsFree});
  const Tensor *a = &lhs, *b = &rhs;
  // Rows should be long: a matrix times a vector is the vector times the transposed matrix.
  if (columns == 1 && rows > 1) {
    lhsOrder = joinDims({dims.lhsBatching, dims.lhsContracting, lhsFree});
    std::swap(lhsOrder, rhsOrder);
    std::swap(a, b);
    std::swap(rows, columns);
  }
  StorageKind kind = getAccumulatorKind(lhs, rhs, type.getElementType());
  return visitAccumulator(kind, [&]<typename T>(T *) {
    PackedElements<T> left(*a, lhsOrder), right(*b, rhsOrder);
    std::vector<T> sums(batches * rows * columns, getSumBegin<T>(depth));
    MatrixSizes sizes{rows, columns, depth, depth, columns, columns};
    for (int64_t batch = 0; batch < batches; ++batch)
      multiplyMatrices(left.data() + batch * rows * depth, right.data() + batch * depth * columns,
                       sums.data() + batch * rows * columns, sizes);
    return unpackElements<T>(sums, type, lhs.getMode());
  });
}

static Status evaluateDotGeneral(stablehlo::DotGeneralOp op, Call &call) {
  stablehlo::DotDims dims = stablehlo::getDotDims(op.getDotDimensionNumbers());
  call.results.push_back(computeDot(call.operands[0], call.operands[1], dims, resultType(op)));
  return std::nullopt;
}

/// The last dim of lhs with the first of rhs.
static Status evaluateDot(stablehlo::DotOp op, Call &call) {
  int64_t lhsDim = call.operands[0].getRank() - 1, rhsDim = 0;
  call.results.push_back(computeDot(call.operands[0], call.operands[1], {{}, {}, lhsDim, rhsDim}, resultType(op)));
  return std::nullopt;
}

void registerContraction(OpTable &table) {
  table.add<stablehlo::DotGeneralOp, evaluateDotGeneral>();
  table.add<stablehlo::DotOp, evaluateDot>();
  table.add<chlo::RaggedDotOp, evaluateRaggedDot>();
  table.add<stablehlo::EinsumOp, evaluateEinsum>();
  table.add<stablehlo::UnaryEinsumOp, evaluateUnaryEinsum>();
}

} // namespace partita::evaluate
