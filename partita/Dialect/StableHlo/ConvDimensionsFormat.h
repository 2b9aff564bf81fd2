//===- ConvDimensionsFormat.h - `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` --===//

#ifndef PARTITA_DIALECT_STABLEHLO_CONVDIMENSIONSFORMAT_H
#define PARTITA_DIALECT_STABLEHLO_CONVDIMENSIONSFORMAT_H

#include "partita/Dialect/StableHlo/StableHloDialect.h"

namespace partita::stablehlo {

mlir::ParseResult parseConvDimensions(mlir::AsmParser &parser, ConvDimensionNumbersAttr &attr);
void printConvDimensions(mlir::AsmPrinter &printer, ConvDimensionNumbersAttr attr);

/// As the `custom<ConvDimensions>` directive asks for it.
inline void printConvDimensions(mlir::AsmPrinter &printer, mlir::Operation *, ConvDimensionNumbersAttr attr) {
  printConvDimensions(printer, attr);
}

/// The same as a list of named fields, which can also say what no letters can; up to and including `>`.
mlir::Attribute parseRawConvDimensions(mlir::AsmParser &parser);

} // namespace partita::stablehlo

#endif
