//===- ConstantOp.cpp - text and verification of stablehlo.constant -------===//
//
// Text: `stablehlo.constant dense<1> : tensor<2xi32>`. A quantized constant
// holds numbers of its storage type and so names two types; it is written as
// `stablehlo.constant() <{value = ...}> : () -> tensor<2x!quant.uniform<...>>`.
//
//===----------------------------------------------------------------------===//

#include "partita/Dialect/StableHlo/ShapeOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace partita::stablehlo {

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Operation *StableHloDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

void ConstantOp::getAsmResultNames(function_ref<void(Value, StringRef)> setName) {
  setName(getResult(), isa<IntegerType>(getElementTypeOrSelf(getResult().getType())) ? "c" : "cst");
}

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &inferred) {
  inferred.push_back(adaptor.getValue().getType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange given) {
  auto type = dyn_cast<ShapedType>(given.front());
  if (!type)
    return false;
  if (auto quantized = dyn_cast<quant::QuantizedType>(type.getElementType()))
    type = type.clone(quantized.getStorageType());
  return inferred.front() == type;
}

/// `) <{value = ...}> {attributes} : () -> type`, behind the opening parenthesis.
static ParseResult parseTwoTypes(OpAsmParser &parser, OperationState &result) {
  Type type;
  if (parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalLess()) && (parser.parseAttribute(result.propertiesAttr) || parser.parseGreater()))
    return failure();
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColon() || parser.parseLParen() ||
      parser.parseRParen() || parser.parseArrow() || parser.parseType(type))
    return failure();
  result.addTypes(type);
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return parseTwoTypes(parser, result);
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer.printGenericOp(getOperation(), /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), /*elidedAttrs=*/{"value"});
  printer << ' ' << getValue();
}

} // namespace partita::stablehlo
