//===- ConvDimensionsFormat.h - a convolution's dims as text --------------===//
//
// A convolution names the role of each dim of its operands and its result:
//
//   [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
//
// Letters are batch, feature, kernel input and kernel output; numbers are
// spatial dims.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONVDIMENSIONSFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_CONVDIMENSIONSFORMAT_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

mlir::ParseResult parseConvDimensions(mlir::AsmParser &parser, ConvDimensionNumbersAttr &attr);
void printConvDimensions(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr attr);

/// The signature that the `custom<ConvDimensions>` directive calls.
inline void printConvDimensions(mlir::AsmPrinter &printer, mlir::Operation *, ConvDimensionNumbersAttr attr) {
  printConvDimensions(printer, attr);
}

/// Parses the same attribute written as a list of named fields, up to and including `>`. That notation can express what
/// the letters cannot.
mlir::Attribute parseRawConvDimensions(mlir::AsmParser &parser);

} // namespace partita::stablehlo

#endif
