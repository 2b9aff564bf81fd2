//===- ContractionOps.cpp - dot products and convolutions -----------------===//
//
// Registers the family and verifies dots. ConvolutionVerify.cpp verifies
// convolutions.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ContractionOps.h"

#include "partita/Dialect/StableHlo/AssemblyFormat.h"
#include "partita/Dialect/StableHlo/ContractionConstraints.h"
#include "partita/Dialect/StableHlo/ContractionFormat.h"
#include "partita/Dialect/StableHlo/ConvDimensionsFormat.h"
#include "partita/Dialect/StableHlo/DotShape.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/StableHlo/ContractionOps.cpp.inc"

namespace partita::stablehlo {

void StableHloDialect::registerContractionOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/StableHlo/ContractionOps.cpp.inc"
      >();
}

/// The result has the inferred shape; its element type is free.
static LogicalResult verifyResultShape(Operation *op, RankedTensorType inferred, StringRef label) {
  auto given = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(verifyCompatibleShape(inferred.getShape(), given.getShape())))
    return op->emitOpError() << label << " requires a result of shape " << inferred << ", got " << given;
  return success();
}

LogicalResult DotOp::verify() {
  if (failed(verifyPrecisionConfig(getLoc(), getPrecisionConfig(), "precision_config")))
    return failure();
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  for (RankedTensorType type : {lhs, rhs})
    if (type.getRank() != 1 && type.getRank() != 2)
      return emitOpError("requires operands of rank 1 or 2, got ") << type;
  int64_t lhsContracting = lhs.getRank() - 1, rhsContracting = 0;
  FailureOr<RankedTensorType> inferred =
      inferDotType(getLoc(), lhs, rhs, {{}, {}, lhsContracting, rhsContracting}, lhs.getElementType());
  if (failed(inferred))
    return failure();
  return verifyResultShape(*this, *inferred, "dot");
}

//===----------------------------------------------------------------------===//
// dot_general
//===----------------------------------------------------------------------===//

/// rhs is symmetric, and not quantized along a contracting dim.
static LogicalResult verifyQuantizedRhs(DotGeneralOp op) {
  Type rhs = op.getRhs().getType().getElementType();
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(rhs))
    if (perTensor.getZeroPoint() != 0)
      return op.emitOpError("(C15) requires zero points of rhs to be 0");
  auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(rhs);
  if (!perAxis)
    return success();
  if (llvm::any_of(perAxis.getZeroPoints(), [](int64_t zeroPoint) { return zeroPoint != 0; }))
    return op.emitOpError("(C15) requires zero points of rhs to be 0");
  ArrayRef<int64_t> contracting = op.getDotDimensionNumbers().getRhsContractingDimensions();
  if (llvm::is_contained(contracting, perAxis.getQuantizedDimension()))
    return op.emitOpError("(C16) requires rhs not to be quantized along a contracting dimension");
  return success();
}

static bool isDefaultPrecision(std::optional<ArrayAttr> config) {
  return !config || llvm::all_of(config->getAsRange<PrecisionAttr>(),
                                 [](PrecisionAttr value) { return value.getValue() == Precision::DEFAULT; });
}

LogicalResult DotGeneralOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(), result = getResult().getType();
  if (failed(verifyPrecisionConfig(getLoc(), getPrecisionConfig(), "(C11) precision_config")))
    return failure();
  FailureOr<RankedTensorType> inferred =
      inferDotType(getLoc(), lhs, rhs, getDotDims(getDotDimensionNumbers()), result.getElementType());
  if (failed(inferred) || failed(verifyResultShape(*this, *inferred, "(C12)")))
    return failure();
  if (getAlgorithm() && !isDefaultPrecision(getPrecisionConfig()))
    return emitOpError("(C21) requires DEFAULT precision where an algorithm is given");
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result))
    return success();
  if (failed(verifyQuantizedRhs(*this)))
    return failure();
  return verifyQuantizedContraction(getLoc(), lhs, rhs, result, {"(C14)", "(C17)", "(C18)", "(C19)", "(C20)"});
}

} // namespace partita::stablehlo
