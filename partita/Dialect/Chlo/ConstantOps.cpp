//===- ConstantOps.cpp - constants of the chlo dialect --------------------===//

#include "partita/Dialect/Chlo/ConstantOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "partita/Dialect/Chlo/ConstantOps.cpp.inc"

namespace partita::chlo {

void ChloDialect::registerConstantOps() {
  addOperations<
#define GET_OP_LIST
#include "partita/Dialect/Chlo/ConstantOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                           DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &inferred) {
  ConstantOp::Adaptor adaptor(operands, attributes, properties, regions);
  // The pretty form infers before anything is verified.
  if (!adaptor.getValueAttr())
    return emitOptionalError(loc, "requires attribute 'value'");
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

LogicalResult ConstantLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, ValueRange operands,
                                               DictionaryAttr attributes, OpaqueProperties properties,
                                               RegionRange regions, SmallVectorImpl<Type> &inferred) {
  ConstantLikeOp::Adaptor adaptor(operands, attributes, properties, regions);
  Type elementType = adaptor.getValue().getType();
  if (!TensorType::isValidElementType(elementType))
    return emitOptionalError(loc, "requires a value of a tensor's element type, got ", elementType);
  inferred.push_back(cast<ShapedType>(adaptor.getOperand().getType()).clone(elementType));
  return success();
}

} // namespace partita::chlo
