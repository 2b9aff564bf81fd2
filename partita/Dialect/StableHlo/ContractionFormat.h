//===- ContractionFormat.h - parses and prints dots and convolutions ------===//
//
// Pairs of parseX and printX behind the `custom<X>` directives of
// ContractionOps.td. A piece that may be absent prints its own leading comma.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONTRACTIONFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_CONTRACTIONFORMAT_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`, without batching dims where there are none.
mlir::ParseResult parseDotDimensions(mlir::OpAsmParser &parser, DotDimensionNumbersAttr &dims);
void printDotDimensions(mlir::OpAsmPrinter &printer, mlir::Operation *, DotDimensionNumbersAttr dims);

/// `, precision = [DEFAULT, HIGH]` or nothing.
mlir::ParseResult parsePrecisionConfig(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision);
void printPrecisionConfig(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ArrayAttr precision);

/// `, precision = [DEFAULT, DEFAULT], algorithm = <...>`, both optional.
mlir::ParseResult parsePrecisionConfigAndAlgorithm(mlir::OpAsmParser &parser, mlir::ArrayAttr &precision,
                                                   DotAlgorithmAttr &algorithm);
void printPrecisionConfigAndAlgorithm(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::ArrayAttr precision,
                                      DotAlgorithmAttr algorithm);

/// `stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]`, each
/// optional, in any order on input.
mlir::ParseResult parseConvWindow(mlir::OpAsmParser &parser, mlir::DenseI64ArrayAttr &strides,
                                  mlir::DenseIntElementsAttr &padding, mlir::DenseI64ArrayAttr &lhsDilation,
                                  mlir::DenseI64ArrayAttr &rhsDilation, mlir::DenseBoolArrayAttr &reversal);
void printConvWindow(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::DenseI64ArrayAttr strides,
                     mlir::DenseIntElementsAttr padding, mlir::DenseI64ArrayAttr lhsDilation,
                     mlir::DenseI64ArrayAttr rhsDilation, mlir::DenseBoolArrayAttr reversal);

} // namespace partita::stablehlo

#endif
