//===- CollectiveOps.cpp - collectives, device ids, asynchronous ops ------===//
//
// Shapes of results, as far as they follow from operands: how many devices a
// group has is known only where all_to_all says it. Messages carry the labels
// of the specification's constraints.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/CollectiveOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/Reducer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/CollectiveOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerCollectiveOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/CollectiveOps.cpp.inc"
      >();
}

/// As many results as operands, with their element types.
static LogicalResult verifyPairwiseElementTypes(Operation *op, StringRef label) {
  if (op->getNumOperands() != op->getNumResults())
    return op->emitOpError() << label << " requires as many results as operands";
  for (auto [operand, result] : llvm::zip(op->getOperandTypes(), op->getResultTypes()))
    if (getElementTypeOrSelf(operand) != getElementTypeOrSelf(result))
      return op->emitOpError() << label << " requires a result of the operand's element type, got " << operand
                               << " and " << result;
  return success();
}

/// Sizes of all dims but `dim` agree where both are known. The types have one rank.
static bool areCompatibleBesides(RankedTensorType a, RankedTensorType b, int64_t dim) {
  for (int64_t i = 0; i < a.getRank(); ++i)
    if (i != dim && !a.isDynamicDim(i) && !b.isDynamicDim(i) && a.getDimSize(i) != b.getDimSize(i))
      return false;
  return true;
}

/// Global ids are those of a flattened id space, which a channel of id `least` or more stands for.
static LogicalResult verifyGlobalDeviceIds(Operation *op, bool useGlobalDeviceIds,
                                           std::optional<ChannelHandleAttr> channel, int64_t least, StringRef label) {
  int64_t id = channel ? channel->getHandle() : 0;
  if (useGlobalDeviceIds && id < least)
    return op->emitOpError() << label << " requires a channel id of at least " << least
                             << " where use_global_device_ids is set, got " << id;
  return success();
}

//===----------------------------------------------------------------------===//
// all_gather
//===----------------------------------------------------------------------===//

static LogicalResult verifyGathered(AllGatherOp op, RankedTensorType operand, RankedTensorType result) {
  int64_t dim = op.getAllGatherDim();
  if (dim >= operand.getRank())
    return op.emitOpError("(C1) requires all_gather_dim to be a dim of ") << operand << ", got " << dim;
  if (operand.getDimSize(dim) == 0)
    return op.emitOpError("(C6) requires operands that are not empty in all_gather_dim, got ") << operand;
  if (result.getRank() != operand.getRank() || !areCompatibleBesides(operand, result, dim))
    return op.emitOpError("(C6) requires a result of the operand's shape but for all_gather_dim, got ")
           << operand << " and " << result;
  if (operand.isDynamicDim(dim) || result.isDynamicDim(dim))
    return success();
  if (result.getDimSize(dim) % operand.getDimSize(dim) != 0)
    return op.emitOpError("(C6) requires a result whose size in all_gather_dim is a multiple of the operand's, got ")
           << operand << " and " << result;
  return success();
}

LogicalResult AllGatherOp::verify() {
  ReplicaGroupDemands demands{.uniqueLabel = "(C2)", .rangeLabel = "(C4)", .mayBeEmpty = !getUseGlobalDeviceIds()};
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), demands)) ||
      failed(verifyGlobalDeviceIds(*this, getUseGlobalDeviceIds(), getChannelHandle(), /*least=*/0, "(C5)")) ||
      failed(verifyPairwiseElementTypes(*this, "(C6)")))
    return failure();
  for (auto [operand, result] : llvm::zip(getOperandTypes(), getResultTypes()))
    if (failed(verifyGathered(*this, cast<RankedTensorType>(operand), cast<RankedTensorType>(result))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// all_reduce, reduce_scatter
//===----------------------------------------------------------------------===//

/// The computation reduces elements of one operand: `operands` share it.
static LogicalResult verifyComputation(Operation *op, Region &computation, TypeRange operands, StringRef label) {
  for (Type operand : operands) {
    Type scalar = RankedTensorType::get({}, getElementTypeOrSelf(operand));
    if (failed(verifyReducer(op, computation, {.inputs = operand, .initValues = scalar, .shape = {}}, label)))
      return failure();
  }
  return success();
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                            DictionaryAttr, OpaqueProperties, RegionRange regions,
                                            SmallVectorImpl<Type> &inferred) {
  if (operands.empty())
    return success();
  FailureOr<SmallVector<Type>> accumulators =
      getAccumulatorElementTypes(loc, *regions.front(), operands.front().getType());
  if (failed(accumulators))
    return failure();
  for (Type operand : operands.getTypes())
    inferred.push_back(RankedTensorType::get(cast<ShapedType>(operand).getShape(), accumulators->front()));
  return success();
}

LogicalResult AllReduceOp::verify() {
  ReplicaGroupDemands demands{
      .uniqueLabel = "(C1)", .rangeLabel = "(C3)", .mayPad = true, .mayBeEmpty = !getUseGlobalDeviceIds()};
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), demands)))
    return failure();
  return verifyGlobalDeviceIds(*this, getUseGlobalDeviceIds(), getChannelHandle(), /*least=*/1, "(C4)");
}

LogicalResult AllReduceOp::verifyRegions() {
  return verifyComputation(*this, getComputation(), getOperandTypes(), "(C5)");
}

static LogicalResult verifyScattered(ReduceScatterOp op, RankedTensorType operand, RankedTensorType result) {
  int64_t dim = op.getScatterDimension();
  if (operand.getRank() != result.getRank())
    return op.emitOpError("(C8) requires a result of the operand's rank, got ") << operand << " and " << result;
  if (dim >= operand.getRank())
    return op.emitOpError("(C2) requires scatter_dimension to be a dim of ") << operand << ", got " << dim;
  // If the dim is dynamic, the other dims and the element type are not checked: jaxlib accepts such programs.
  if (operand.isDynamicDim(dim) || result.isDynamicDim(dim))
    return success();
  if (operand.getDimSize(dim) == 0 || result.getDimSize(dim) == 0)
    return op.emitOpError("(C8) requires types that are not empty in scatter_dimension, got ")
           << operand << " and " << result;
  if (operand.getDimSize(dim) % result.getDimSize(dim) != 0)
    return op.emitOpError(
               "(C8) requires an operand whose size in scatter_dimension is a multiple of the result's, got ")
           << operand << " and " << result;
  if (!areCompatibleBesides(operand, result, dim))
    return op.emitOpError("(C8) requires a result of the operand's shape but for scatter_dimension, got ")
           << operand << " and " << result;
  return success();
}

LogicalResult ReduceScatterOp::verify() {
  ReplicaGroupDemands demands{.uniqueLabel = "(C3)", .rangeLabel = "(C5)", .mayBeEmpty = !getUseGlobalDeviceIds()};
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), demands)) ||
      failed(verifyGlobalDeviceIds(*this, getUseGlobalDeviceIds(), getChannelHandle(), /*least=*/1, "(C6)")))
    return failure();
  return verifyScattered(*this, cast<RankedTensorType>(getOperand().getType()),
                         cast<RankedTensorType>(getResult().getType()));
}

LogicalResult ReduceScatterOp::verifyRegions() {
  if (failed(verifyComputation(*this, getComputation(), getOperand().getType(), "(C7)")))
    return failure();
  auto result = cast<RankedTensorType>(getResult().getType());
  Type accumulator = getElementTypeOrSelf(getReturnedTypes(getComputation())->front());
  bool isDynamic = result.isDynamicDim(getScatterDimension()) ||
                   cast<RankedTensorType>(getOperand().getType()).isDynamicDim(getScatterDimension());
  if (!isDynamic && result.getElementType() != accumulator)
    return emitOpError("(C9) requires a result of the computation's element type ")
           << accumulator << ", got " << result;
  return success();
}

//===----------------------------------------------------------------------===//
// all_to_all
//===----------------------------------------------------------------------===//

/// `sizes` (or bounds, dynamic where unknown) after the split and the concatenation; nothing if they overflow.
static std::optional<SmallVector<int64_t>> exchange(ArrayRef<int64_t> sizes, int64_t splitDim, int64_t concatDim,
                                                    int64_t count) {
  SmallVector<int64_t> exchanged(sizes);
  if (!ShapedType::isDynamic(exchanged[splitDim]))
    exchanged[splitDim] /= count;
  int64_t &gathered = exchanged[concatDim];
  if (!ShapedType::isDynamic(gathered) && llvm::MulOverflow(gathered, count, gathered))
    return std::nullopt;
  return exchanged;
}

static FailureOr<Type> inferExchanged(std::optional<Location> loc, RankedTensorType operand,
                                      AllToAllOp::Adaptor adaptor) {
  int64_t splitDim = adaptor.getSplitDimension(), concatDim = adaptor.getConcatDimension();
  int64_t count = adaptor.getSplitCount();
  if (splitDim >= operand.getRank())
    return emitOptionalError(loc, "(C1) requires split_dimension to be a dim of ", operand, ", got ", splitDim);
  if (concatDim >= operand.getRank())
    return emitOptionalError(loc, "(C3) requires concat_dimension to be a dim of ", operand, ", got ", concatDim);
  if (!operand.isDynamicDim(splitDim) && operand.getDimSize(splitDim) % count != 0)
    return emitOptionalError(loc, "(C2) requires split_count ", count, " to divide dim ", splitDim, " of ", operand);
  auto sizes = exchange(operand.getShape(), splitDim, concatDim, count);
  ArrayRef<int64_t> operandBounds = getBounds(operand);
  auto bounds = operandBounds.empty() ? SmallVector<int64_t>() : exchange(operandBounds, splitDim, concatDim, count);
  if (!sizes || !bounds)
    return emitOptionalError(loc, "(C9) requires a result whose size is an integer of 64 bits");
  return Type(getTensorType(*sizes, *bounds, operand.getElementType()));
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                           DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &inferred) {
  Adaptor adaptor(operands, attributes, properties, regions);
  for (Type operand : operands.getTypes()) {
    FailureOr<Type> result = inferExchanged(loc, cast<RankedTensorType>(operand), adaptor);
    if (failed(result))
      return failure();
    inferred.push_back(*result);
  }
  return success();
}

LogicalResult AllToAllOp::verify() {
  ReplicaGroupDemands demands{
      .uniqueLabel = "(C5)", .rangeLabel = "(C7)", .sizeLabel = "(C8)", .size = static_cast<int64_t>(getSplitCount())};
  if (failed(verifyReplicaGroups(*this, getReplicaGroups(), demands)))
    return failure();
  return verifyPairwiseElementTypes(*this, "(C9)");
}

//===----------------------------------------------------------------------===//
// collective_broadcast, collective_permute
//===----------------------------------------------------------------------===//

LogicalResult CollectiveBroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                      DictionaryAttr, OpaqueProperties, RegionRange,
                                                      SmallVectorImpl<Type> &inferred) {
  inferred.push_back(operands.front().getType());
  return success();
}

LogicalResult CollectiveBroadcastOp::verify() {
  ReplicaGroupDemands demands{.uniqueLabel = "(C1)", .rangeLabel = "(C2)", .areAllDevices = false};
  return verifyReplicaGroups(*this, getReplicaGroups(), demands);
}

LogicalResult CollectivePermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                                    DictionaryAttr, OpaqueProperties, RegionRange,
                                                    SmallVectorImpl<Type> &inferred) {
  inferred.push_back(operands.front().getType());
  return success();
}

LogicalResult CollectivePermuteOp::verify() { return verifySourceTargetPairs(*this, getSourceTargetPairs()); }

//===----------------------------------------------------------------------===//
// partition_id, replica_id
//===----------------------------------------------------------------------===//

static Type getDeviceIdType(MLIRContext *context) {
  return RankedTensorType::get({}, IntegerType::get(context, 32, IntegerType::Unsigned));
}

LogicalResult PartitionIdOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                              OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(getDeviceIdType(context));
  return success();
}

LogicalResult ReplicaIdOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ValueRange, DictionaryAttr,
                                            OpaqueProperties, RegionRange, SmallVectorImpl<Type> &inferred) {
  inferred.push_back(getDeviceIdType(context));
  return success();
}

//===----------------------------------------------------------------------===//
// async_start, async_done
//===----------------------------------------------------------------------===//

/// Ops that a device can run on an engine beside its compute cores.
static bool mayRunAsynchronously(Operation &op) {
  static constexpr StringLiteral names[] = {
      "stablehlo.all_gather",     "stablehlo.all_reduce",           "stablehlo.all_to_all",
      "stablehlo.reduce_scatter", "stablehlo.collective_broadcast", "stablehlo.collective_permute",
      "stablehlo.slice",          "stablehlo.dynamic_slice",        "stablehlo.dynamic_update_slice"};
  return llvm::is_contained(names, op.getName().getStringRef());
}

LogicalResult AsyncStartOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, ValueRange operands,
                                             DictionaryAttr, OpaqueProperties, RegionRange regions,
                                             SmallVectorImpl<Type> &inferred) {
  Region &body = *regions.front();
  std::optional<TypeRange> returned = getReturnedTypes(body);
  if (!returned || !llvm::hasNItems(body.front(), 2))
    return emitOptionalError(loc, "(C1) requires a body of one op and a return");
  if (!mayRunAsynchronously(body.front().front()))
    return emitOptionalError(loc, "(C2) requires a collective or a slice in the body, got ",
                             body.front().front().getName());
  if (operands.getTypes() != body.getArgumentTypes())
    return emitOptionalError(loc, "(C3) requires operands of the body's argument types");
  if (returned->size() != 1)
    return emitOptionalError(loc, "(C4) requires a body that returns one value, got ", returned->size());
  if (!isa<RankedTensorType>(returned->front()))
    return emitOptionalError(loc, "(C4) requires a body that returns a tensor, got ", returned->front());
  inferred.push_back(FutureType::get(context, returned->front()));
  return success();
}

LogicalResult AsyncDoneOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                            DictionaryAttr, OpaqueProperties, RegionRange,
                                            SmallVectorImpl<Type> &inferred) {
  ArrayRef<Type> types = cast<FutureType>(operands.front().getType()).getTypes();
  if (types.size() != 1)
    return emitOptionalError(loc, "(C1) requires a future of one value, got one of ", types.size());
  inferred.push_back(types.front());
  return success();
}

} // namespace partita::stablehlo
