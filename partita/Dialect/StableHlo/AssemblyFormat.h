//===- AssemblyFormat.h - text that several ops share ---------------------===//
//
// Pairs of parseX and printX behind the `custom<X>` directives of the .td files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_ASSEMBLYFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_ASSEMBLYFORMAT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace partita::stablehlo {

/// `[0, 2]`.
llvm::FailureOr<llvm::SmallVector<int64_t>> parseDimList(mlir::AsmParser &parser);
void printDimList(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> dims);

/// One type where all are equal, else `(operands) -> result`.
mlir::ParseResult parseOneOrFunctionType(mlir::OpAsmParser &parser, llvm::ArrayRef<mlir::Type *> operands,
                                         mlir::Type &result);
void printOneOrFunctionType(mlir::OpAsmPrinter &printer, mlir::Operation *op, llvm::ArrayRef<mlir::Type> operands,
                            mlir::Type result);

template <typename... Types>
mlir::ParseResult parseSameOperandsAndResultType(mlir::OpAsmParser &parser, Types &...types) {
  llvm::SmallVector<mlir::Type *> all{&types...};
  mlir::Type *result = all.pop_back_val();
  return parseOneOrFunctionType(parser, all, *result);
}

template <typename... Types>
void printSameOperandsAndResultType(mlir::OpAsmPrinter &printer, mlir::Operation *op, Types... types) {
  llvm::SmallVector<mlir::Type> all{types...};
  mlir::Type result = all.pop_back_val();
  printOneOrFunctionType(printer, op, all, result);
}

/// The word alone of an enum attribute: `EQ` of `#stablehlo<comparison_direction EQ>`.
template <typename EnumAttr> mlir::ParseResult parseEnumWord(mlir::AsmParser &parser, EnumAttr &attr) {
  return parser.parseCustomAttributeWithFallback(attr);
}

template <typename EnumAttr> void printEnumWord(mlir::AsmPrinter &printer, mlir::Operation *, EnumAttr attr) {
  printer << stringifyEnum(attr.getValue());
}

/// `e5m10`.
mlir::ParseResult parseExponentMantissa(mlir::AsmParser &parser, mlir::IntegerAttr &exponent,
                                        mlir::IntegerAttr &mantissa);
void printExponentMantissa(mlir::AsmPrinter &printer, mlir::Operation *, mlir::IntegerAttr exponent,
                           mlir::IntegerAttr mantissa);

/// The result alone where operands are its real and imaginary parts, else the function type.
mlir::ParseResult parseComplexOpType(mlir::OpAsmParser &parser, mlir::Type &lhs, mlir::Type &rhs, mlir::Type &result);
void printComplexOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type lhs, mlir::Type rhs,
                        mlir::Type result);

/// `pred, branch` where both branches and the result have one type, else the function type.
mlir::ParseResult parseSelectOpType(mlir::OpAsmParser &parser, mlir::Type &pred, mlir::Type &onTrue,
                                    mlir::Type &onFalse, mlir::Type &result);
void printSelectOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type pred, mlir::Type onTrue,
                       mlir::Type onFalse, mlir::Type result);

/// Variadic operands and as many results: the operands' types where they are the results' too.
mlir::ParseResult parsePairwiseOpType(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands,
                                      llvm::SmallVectorImpl<mlir::Type> &results);
void printPairwiseOpType(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                         mlir::TypeRange results);

} // namespace partita::stablehlo

#endif
