//===- RaggedDot.cpp - verifies ragged dots -------------------------------===//
//
// The shapes depend on the role of the ragged dim of lhs:
//
//   free         [b, m, k] x [g, b, k, n] with [b, g] -> [b, m, n]
//   contracting  [b, m, k] x [b, k, n]    with [b, g] -> [g, b, m, n]
//   batching     [b, m, k] x [b, k, n]    with [g]    -> [b, m, n]
//
// `group_sizes` has the sizes of the dims of lhs that stand before the ragged
// one (batching dims, then those of its own role), then the number of groups;
// or the number of groups alone, if all share the sizes.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/Chlo/CompositeOps.h"
#include "partita/Dialect/StableHlo/DotShape.h"

using namespace mlir;
using partita::stablehlo::DotDims;
using partita::stablehlo::getOtherDims;
using partita::stablehlo::verifyDotDims;

namespace partita::chlo {

namespace {

enum class RaggedRole { Free, Contracting, Batching };

/// The op's operands and dims, once they are known to be ranked and to have one ragged dim.
struct RaggedDot {
  RankedTensorType lhs, rhs, groupSizes;
  DotDims dims;
  ArrayRef<int64_t> rhsGroup;
  int64_t raggedDim;

  RaggedRole getRole() const {
    if (llvm::is_contained(dims.lhsBatching, raggedDim))
      return RaggedRole::Batching;
    return llvm::is_contained(dims.lhsContracting, raggedDim) ? RaggedRole::Contracting : RaggedRole::Free;
  }
  int64_t getNumGroups() const { return groupSizes.getShape().back(); }
};

} // namespace

static FailureOr<RaggedDot> getRaggedDot(RaggedDotOp op) {
  auto lhs = dyn_cast<RankedTensorType>(op.getLhs().getType()), rhs = dyn_cast<RankedTensorType>(op.getRhs().getType());
  if (!lhs || !rhs)
    return op.emitOpError("requires ranked operands");
  RankedTensorType groupSizes = op.getGroupSizes().getType();
  if (groupSizes.getRank() == 0)
    return op.emitOpError("requires group_sizes of rank 1 or more, got ") << groupSizes;
  RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  DotDims dims{numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
               numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()};
  if (failed(verifyDotDims(op.getLoc(), lhs, rhs, dims)))
    return failure();
  if (numbers.getLhsRaggedDimensions().size() != 1)
    return op.emitOpError("requires exactly one ragged dimension of lhs");
  int64_t raggedDim = numbers.getLhsRaggedDimensions().front();
  if (raggedDim < 0 || raggedDim >= lhs.getRank())
    return op.emitOpError("requires a ragged dimension in [0, ") << lhs.getRank() << "), got " << raggedDim;
  return RaggedDot{lhs, rhs, groupSizes, dims, numbers.getRhsGroupDimensions(), raggedDim};
}

/// The dims of lhs that may have group sizes of their own.
static SmallVector<int64_t> getPrefixDims(const RaggedDot &dot) {
  auto isBeforeRagged = [&](int64_t dim) { return dim != dot.raggedDim; };
  if (dot.getRole() == RaggedRole::Batching)
    return SmallVector<int64_t>(dot.dims.lhsBatching.take_while(isBeforeRagged));
  SmallVector<int64_t> dims(dot.dims.lhsBatching);
  SmallVector<int64_t> freeDims = getOtherDims(dot.lhs.getRank(), {dot.dims.lhsBatching, dot.dims.lhsContracting});
  ArrayRef<int64_t> alike = dot.getRole() == RaggedRole::Contracting ? dot.dims.lhsContracting : ArrayRef(freeDims);
  llvm::append_range(dims, alike.take_while(isBeforeRagged));
  return dims;
}

static LogicalResult verifyGroupSizes(RaggedDotOp op, const RaggedDot &dot) {
  if (dot.groupSizes.getRank() == 1)
    return success();
  auto prefix = llvm::map_to_vector(getPrefixDims(dot), [&](int64_t dim) { return dot.lhs.getDimSize(dim); });
  if (dot.groupSizes.getShape().drop_back() != ArrayRef(prefix))
    return op.emitOpError("requires group_sizes of shape [") << prefix << ", groups], got " << dot.groupSizes;
  return success();
}

/// rhs has one group dim if the ragged dim is free, else none.
static LogicalResult verifyGroupDims(RaggedDotOp op, const RaggedDot &dot) {
  if (dot.rhsGroup.size() != (dot.getRole() == RaggedRole::Free ? 1 : 0))
    return op.emitOpError("requires one group dimension of rhs where the ragged dimension is neither batching nor "
                          "contracting, else none, got ")
           << dot.rhsGroup.size();
  for (int64_t dim : dot.rhsGroup) {
    if (dim < 0 || dim >= dot.rhs.getRank())
      return op.emitOpError("requires a group dimension in [0, ") << dot.rhs.getRank() << "), got " << dim;
    if (llvm::is_contained(dot.dims.rhsBatching, dim) || llvm::is_contained(dot.dims.rhsContracting, dim))
      return op.emitOpError("requires a group dimension that is neither batching nor contracting, got ") << dim;
    if (failed(verifyCompatibleShape(dot.getNumGroups(), dot.rhs.getDimSize(dim))))
      return op.emitOpError("requires a group dimension of size ")
             << dot.getNumGroups() << ", got " << dot.rhs.getDimSize(dim);
  }
  return success();
}

static SmallVector<int64_t> inferShape(const RaggedDot &dot) {
  SmallVector<int64_t> shape;
  auto append = [&](RankedTensorType type, ArrayRef<int64_t> dims) {
    for (int64_t dim : dims)
      shape.push_back(type.getDimSize(dim));
  };
  if (dot.getRole() == RaggedRole::Contracting)
    shape.push_back(dot.getNumGroups());
  append(dot.lhs, dot.dims.lhsBatching);
  append(dot.lhs, getOtherDims(dot.lhs.getRank(), {dot.dims.lhsBatching, dot.dims.lhsContracting}));
  append(dot.rhs, getOtherDims(dot.rhs.getRank(), {dot.dims.rhsBatching, dot.dims.rhsContracting, dot.rhsGroup}));
  return shape;
}

LogicalResult RaggedDotOp::verify() {
  if (getPrecisionConfig() && getPrecisionConfig()->size() > 2)
    return emitOpError("requires at most 2 precisions, got ") << getPrecisionConfig()->size();
  FailureOr<RaggedDot> dot = getRaggedDot(*this);
  if (failed(dot) || failed(verifyGroupSizes(*this, *dot)) || failed(verifyGroupDims(*this, *dot)))
    return failure();
  auto result = cast<TensorType>(getResult().getType());
  SmallVector<int64_t> shape = inferShape(*dot);
  if (!result.hasRank() || failed(verifyCompatibleShape(shape, result.getShape())))
    return emitOpError("requires a result of type ")
           << RankedTensorType::get(shape, result.getElementType()) << ", got " << result;
  return success();
}

} // namespace partita::chlo
