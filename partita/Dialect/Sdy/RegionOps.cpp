//===- RegionOps.cpp - ops with a body: manual and named computations -----===//

#include "partita/Dialect/Sdy/RegionOps.h"

#include "partita/Dialect/Sdy/AttrFormat.h"
#include "partita/Dialect/Sdy/Axes.h"
#include "partita/Dialect/Sdy/ShardingOf.h"
#include "partita/Dialect/Sdy/ShardingVerify.h"
#include "partita/Support/Saturating.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Sdy/RegionOps.cpp.inc"

namespace partita::sdy {

void SdyDialect::registerRegionOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Sdy/RegionOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ManualComputationOp
//===----------------------------------------------------------------------===//

bool ManualComputationOp::isManual(StringRef axis) {
  return llvm::any_of(getManualAxes(), [&](StringAttr manual) { return manual.getValue() == axis; });
}

LogicalResult ManualComputationOp::verify() {
  for (auto parent = (*this)->getParentOfType<ManualComputationOp>(); parent;
       parent = parent->getParentOfType<ManualComputationOp>())
    for (StringAttr axis : getManualAxes())
      if (parent.isManual(axis))
        return (emitOpError("axis ") << axis << " is manual here already").attachNote(parent.getLoc())
               << "made manual by this op";
  return success();
}

/// Fails unless the manual axes of each dim come before its other axes.
static LogicalResult verifyManualAxesLead(ManualComputationOp op, TensorShardingAttr sharding, const ErrorAt &error) {
  for (auto [index, dim] : llvm::enumerate(sharding.getDimShardings())) {
    AxisRefAttr freeAxis;
    for (AxisRefAttr axis : dim.getAxes()) {
      bool isManual = op.isManual(axis.getName());
      if (isManual && freeAxis)
        return error() << "manual axis " << toString(axis) << " stands after free axis " << toString(freeAxis)
                       << " in dim " << index;
      if (!isManual)
        freeAxis = axis;
    }
  }
  return success();
}

/// The size of a dim inside the body, failure if the manual axes do not divide it.
static FailureOr<int64_t> computeLocalSize(ManualComputationOp op, int64_t size, DimensionShardingAttr dim,
                                           MeshAttr mesh) {
  if (ShapedType::isDynamic(size))
    return size;
  int64_t pieces = 1;
  for (AxisRefAttr axis : dim.getAxes())
    if (op.isManual(axis.getName()))
      pieces = multiplySaturated(pieces, axis.getSize(mesh));
  if (size % pieces != 0)
    return failure();
  return size / pieces;
}

/// A tensor inside the body has the shape of a device's piece along the manual axes.
static LogicalResult verifyLocalType(ManualComputationOp op, ShapedType global, Type local, TensorShardingAttr sharding,
                                     const ErrorAt &error) {
  if (!global.hasRank() || global.getRank() != sharding.getRank() || !isa<RankedTensorType>(local))
    return error() << "needs a ranked tensor with a sharding of its rank, not " << global << " and " << local;
  SmallVector<int64_t> shape;
  MeshAttr mesh = lookupMesh(sharding, op);
  for (auto [size, dim] : llvm::zip_equal(global.getShape(), sharding.getDimShardings())) {
    FailureOr<int64_t> localSize = computeLocalSize(op, size, dim, mesh);
    if (failed(localSize))
      return error() << "the manual axes do not divide a dim of size " << size;
    shape.push_back(*localSize);
  }
  auto given = cast<RankedTensorType>(local);
  if (given.getShape() != ArrayRef(shape) || given.getElementType() != global.getElementType() || given.getEncoding())
    return error() << "the body has " << local << " where the piece of " << global << " has shape [" << shape << ']';
  return success();
}

static LogicalResult verifyManualValues(ManualComputationOp op, TypeRange globals, TypeRange locals,
                                        TensorShardingPerValueAttr shardings, const ErrorAt &error) {
  if (globals.empty() && locals.empty() && shardings.size() == 0)
    return success();
  if (failed(verifyShardings(shardings, globals, error)))
    return failure();
  if (globals.size() != locals.size())
    return error() << "the op has " << globals.size() << " values, its body " << locals.size();
  for (auto [index, global, local] : llvm::enumerate(globals, locals)) {
    TensorShardingAttr sharding = shardings.getSharding(index);
    ErrorAt valueError = error.with(Twine(index));
    if (failed(verifyManualAxesLead(op, sharding, valueError)))
      return failure();
    auto tensor = dyn_cast<ShapedType>(global);
    if (tensor && failed(verifyLocalType(op, tensor, local, sharding, valueError)))
      return failure();
  }
  return success();
}

LogicalResult ManualComputationOp::verifySymbolUses(SymbolTableCollection &) {
  ErrorAt error(*this);
  if (failed(verifyManualValues(*this, getOperandTypes(), getBody().getArgumentTypes(), getInShardings(),
                                error.with("operand"))) ||
      failed(verifyManualValues(*this, getResultTypes(), getBody().front().getTerminator()->getOperandTypes(),
                                getOutShardings(), error.with("result"))))
    return failure();

  SmallVector<TensorShardingAttr> shardings(getInShardings().getShardings());
  llvm::append_range(shardings, getOutShardings().getShardings());
  if (shardings.empty() || getManualAxes().empty())
    return success();
  MeshAttr mesh = lookupCommonMesh(shardings, *this);
  if (!mesh)
    return error() << "all shardings must be on one mesh";
  for (StringAttr axis : getManualAxes())
    if (!mesh.hasAxis(axis))
      return error() << "the mesh has no manual axis " << axis;
  return success();
}

//===----------------------------------------------------------------------===//
// NamedComputationOp
//===----------------------------------------------------------------------===//

LogicalResult NamedComputationOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange, DictionaryAttr,
                                                   OpaqueProperties, RegionRange regions,
                                                   SmallVectorImpl<Type> &inferred) {
  if (regions.empty() || regions.front()->empty() || !regions.front()->front().mightHaveTerminator())
    return failure();
  llvm::append_range(inferred, regions.front()->front().getTerminator()->getOperandTypes());
  return success();
}

LogicalResult NamedComputationOp::verifySymbolUses(SymbolTableCollection &) {
  ErrorAt error(*this);
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(getOperandTypes()))
    return error() << "the arguments of the body must have the types of the operands";
  if (getInShardings() && failed(verifyShardings(*getInShardings(), getOperandTypes(), error.with("operand"))))
    return failure();
  if (getOutShardings() && failed(verifyShardings(*getOutShardings(), getResultTypes(), error.with("result"))))
    return failure();
  return success();
}

} // namespace partita::sdy
