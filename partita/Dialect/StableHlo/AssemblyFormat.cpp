//===- AssemblyFormat.cpp - text that several ops share -------------------===//

#include "partita/Dialect/StableHlo/AssemblyFormat.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace partita::stablehlo {

FailureOr<SmallVector<int64_t>> parseDimList(AsmParser &parser) {
  SmallVector<int64_t> dims;
  auto parseDim = [&]() -> ParseResult { return parser.parseInteger(dims.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim))
    return failure();
  return dims;
}

void printDimList(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << '[';
  llvm::interleaveComma(dims, printer);
  printer << ']';
}

/// Assigns the types of `(a, b) -> c` to the given operands and result.
static ParseResult assignFunctionType(OpAsmParser &parser, SMLoc loc, FunctionType type, ArrayRef<Type *> operands,
                                      Type &result) {
  if (type.getNumInputs() != operands.size())
    return parser.emitError(loc) << operands.size() << " operands present, but expected " << type.getNumInputs();
  if (type.getNumResults() != 1)
    return parser.emitError(loc, "expected single output");
  for (auto [operand, input] : llvm::zip(operands, type.getInputs()))
    *operand = input;
  result = type.getResult(0);
  return success();
}

ParseResult parseOneOrFunctionType(OpAsmParser &parser, ArrayRef<Type *> operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto functionType = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, functionType, operands, result);
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

void printOneOrFunctionType(OpAsmPrinter &printer, Operation *op, ArrayRef<Type> operands, Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer.printType(result);
  else
    printer.printFunctionalType(op);
}

ParseResult parseExponentMantissa(AsmParser &parser, IntegerAttr &exponent, IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  StringRef rest = text;
  uint32_t exponentBits = 0, mantissaBits = 0;
  bool ok = rest.consume_front("e") && !rest.consumeInteger(10, exponentBits) && rest.consume_front("m") &&
            !rest.consumeInteger(10, mantissaBits) && rest.empty();
  if (!ok)
    return parser.emitError(loc, "expected exponent and mantissa such as e5m10, got ") << text;
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

void printExponentMantissa(AsmPrinter &printer, Operation *, IntegerAttr exponent, IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto functionType = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, loc, functionType, {&lhs, &rhs}, result);
  auto shaped = dyn_cast<ShapedType>(type);
  auto complexType = shaped ? dyn_cast<ComplexType>(shaped.getElementType()) : ComplexType();
  if (!complexType)
    return parser.emitError(loc, "expected tensor with complex element type");
  lhs = rhs = shaped.clone(complexType.getElementType());
  result = type;
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *op, Type lhs, Type rhs, Type result) {
  auto shaped = cast<ShapedType>(result);
  auto complexType = dyn_cast<ComplexType>(shaped.getElementType());
  if (complexType && lhs == rhs && lhs == shaped.clone(complexType.getElementType()))
    printer.printType(result);
  else
    printer.printFunctionalType(op);
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue, Type &onFalse, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  if (types.size() == 1)
    if (auto functionType = dyn_cast<FunctionType>(types[0]))
      return assignFunctionType(parser, loc, functionType, {&pred, &onTrue, &onFalse}, result);
  return parser.emitError(loc, "expected functional type or list of two types");
}

void printSelectOpType(OpAsmPrinter &printer, Operation *op, Type pred, Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printer.printFunctionalType(op);
}

ParseResult parsePairwiseOpType(OpAsmParser &parser, SmallVectorImpl<Type> &operands, SmallVectorImpl<Type> &results) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands))
    return parser.emitError(loc, "expected type list");
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

} // namespace partita::stablehlo
