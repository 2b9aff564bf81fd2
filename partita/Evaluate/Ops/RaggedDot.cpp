//===- RaggedDot.cpp - dots of groups of different sizes ------------------===//
//
// `group_sizes` divides the ragged dim of lhs into consecutive runs. Rows after
// the last run belong to no group. A size below 0, which has no meaning, counts
// as 0.
//
//   free         result[b, i, j]    = sum over k of lhs[b, i, k] * rhs[g, b, k, j], i in run g; 0 if it is in none
//   contracting  result[g, b, i, j] = sum over k in run g of lhs[b, i, k] * rhs[b, k, j]
//   batching     result[b, i, j]    = sum over k of lhs[b, i, k] * rhs[b, k, j], groups or not
//
// The ragged dim may be one of several in its role: with `outer` dims before it
// and `inner` ones behind, run g covers indices [(o*ragged + begin)*inner,
// (o*ragged + end)*inner) of the whole role, for each o.
//
//===----------------------------------------------------------------------===//

#include "partita/Evaluate/Elementwise.h"
#include "partita/Evaluate/Ops/Accumulation.h"
#include "partita/Evaluate/Ops/Contraction.h"
#include "partita/Evaluate/Ops/Matrix.h"

using namespace mlir;

namespace partita::evaluate {

namespace {

/// A run of indices of the ragged role, and the batch and group that it belongs to.
struct RaggedRun {
  int64_t batch, group;
  int64_t begin, end;
};

} // namespace

/// All runs that are not empty. `roleDims` are the dims of lhs that share the ragged one's role, in order.
static std::vector<RaggedRun> buildRuns(const Tensor &lhs, const Tensor &groupSizes, int64_t batches, int64_t raggedDim,
                                        ArrayRef<int64_t> roleDims) {
  size_t position = llvm::find(roleDims, raggedDim) - roleDims.begin();
  int64_t outer = computeSize(lhs, roleDims.take_front(position)),
          inner = computeSize(lhs, roleDims.drop_front(position + 1));
  int64_t ragged = lhs.getDim(raggedDim), groups = groupSizes.getShape().back();
  bool isShared = groupSizes.getRank() == 1;
  std::vector<RaggedRun> runs;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t o = 0; o < outer; ++o) {
      int64_t position = 0;
      for (int64_t group = 0; group < groups && position < ragged; ++group) {
        int64_t size = groupSizes.getInteger(isShared ? group : (batch * outer + o) * groups + group);
        int64_t first = position;
        position += std::clamp<int64_t>(size, 0, ragged - position);
        if (first < position)
          runs.push_back({batch, group, (o * ragged + first) * inner, (o * ragged + position) * inner});
      }
    }
  return runs;
}

static Tensor computeRaggedFree(chlo::RaggedDotOp op, const stablehlo::DotDims &dims, Call &call) {
  const Tensor &lhs = call.operands[0], &rhs = call.operands[1];
  auto numbers = op.getRaggedDotDimensionNumbers();
  ArrayRef<int64_t> groupDims = numbers.getRhsGroupDimensions();
  SmallVector<int64_t> lhsFree = stablehlo::getOtherDims(lhs.getRank(), {dims.lhsBatching, dims.lhsContracting});
  SmallVector<int64_t> rhsFree =
      stablehlo::getOtherDims(rhs.getRank(), {dims.rhsBatching, dims.rhsContracting, groupDims});
  int64_t batches = computeSize(lhs, dims.lhsBatching), depth = computeSize(lhs, dims.lhsContracting);
  int64_t rows = computeSize(lhs, lhsFree), columns = computeSize(rhs, rhsFree);
  std::vector<RaggedRun> runs =
      buildRuns(lhs, call.operands[2], batches, numbers.getLhsRaggedDimensions().front(), lhsFree);
  StorageKind kind = getAccumulatorKind(lhs, rhs, resultType(op).getElementType());
  return visitAccumulator(kind, [&]<typename T>(T *) {
    PackedElements<T> left(lhs, joinDims({dims.lhsBatching, lhsFree, dims.lhsContracting}));
    PackedElements<T> right(rhs, joinDims({groupDims, dims.rhsBatching, dims.rhsContracting, rhsFree}));
    std::vector<T> sums(batches * rows * columns);
    for (const RaggedRun &run : runs) {
      int64_t row = run.batch * rows + run.begin;
      multiplyMatrices(left.data() + row * depth, right.data() + (run.group * batches + run.batch) * depth * columns,
                       sums.data() + row * columns, {run.end - run.begin, columns, depth, depth, columns, columns});
    }
    return unpackElements<T>(sums, resultType(op), call.mode);
  });
}

static Tensor computeRaggedContracting(chlo::RaggedDotOp op, const stablehlo::DotDims &dims, Call &call) {
  const Tensor &lhs = call.operands[0], &rhs = call.operands[1];
  SmallVector<int64_t> lhsFree = stablehlo::getOtherDims(lhs.getRank(), {dims.lhsBatching, dims.lhsContracting});
  SmallVector<int64_t> rhsFree = stablehlo::getOtherDims(rhs.getRank(), {dims.rhsBatching, dims.rhsContracting});
  int64_t batches = computeSize(lhs, dims.lhsBatching), depth = computeSize(lhs, dims.lhsContracting);
  int64_t rows = computeSize(lhs, lhsFree), columns = computeSize(rhs, rhsFree);
  int64_t raggedDim = op.getRaggedDotDimensionNumbers().getLhsRaggedDimensions().front();
  std::vector<RaggedRun> runs = buildRuns(lhs, call.operands[2], batches, raggedDim, dims.lhsContracting);
  StorageKind kind = getAccumulatorKind(lhs, rhs, resultType(op).getElementType());
  return visitAccumulator(kind, [&]<typename T>(T *) {
    PackedElements<T> left(lhs, joinDims({dims.lhsBatching, lhsFree, dims.lhsContracting}));
    PackedElements<T> right(rhs, joinDims({dims.rhsBatching, dims.rhsContracting, rhsFree}));
    std::vector<T> sums(resultType(op).getNumElements());
    for (const RaggedRun &run : runs)
      multiplyMatrices(left.data() + run.batch * rows * depth + run.begin,
                       right.data() + (run.batch * depth + run.begin) * columns,
                       sums.data() + (run.group * batches + run.batch) * rows * columns,
                       {rows, columns, run.end - run.begin, depth, columns, columns});
    return unpackElements<T>(sums, resultType(op), call.mode);
  });
}

Status evaluateRaggedDot(chlo::RaggedDotOp op, Call &call) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  stablehlo::DotDims dims{numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                          numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  int64_t raggedDim = numbers.getLhsRaggedDimensions().front();
  if (llvm::is_contained(dims.lhsBatching, raggedDim))
    call.results.push_back(computeDot(call.operands[0], call.operands[1], dims, resultType(op)));
  else if (llvm::is_contained(dims.lhsContracting, raggedDim))
    call.results.push_back(computeRaggedContracting(op, dims, call));
  else
    call.results.push_back(computeRaggedFree(op, dims, call));
  return std::nullopt;
}

} // namespace partita::evaluate
