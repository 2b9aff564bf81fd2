//===- ShapeFormat.h - parses and prints slices and operand lists ---------===//
//
// Pairs of parseX and printX behind the `custom<X>` directives of ShapeOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_SHAPEFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_SHAPEFORMAT_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OpImplementation.h"

namespace partita::stablehlo {

/// `%a, %b, ` before a keyword: a comma after every operand, nothing for none.
mlir::ParseResult parseOperandsWithCommas(mlir::OpAsmParser &parser,
                                          llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &operands);
void printOperandsWithCommas(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::OperandRange operands);

/// `[0:2, 1:8:3]`: start, limit and, where it is not 1, stride of each dim.
mlir::ParseResult parseSliceRanges(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &starts,
                                   mlir::DenseI64ArrayAttr &limits, mlir::DenseI64ArrayAttr &strides);
void printSliceRanges(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr starts,
                      mlir::DenseI64ArrayAttr limits, mlir::DenseI64ArrayAttr strides);

} // namespace partita::stablehlo

#endif
