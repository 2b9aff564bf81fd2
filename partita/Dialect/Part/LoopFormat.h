//===- LoopFormat.h - parses and prints part.loop -------------------------===//
//
// Pairs of parseX and printX behind the `custom<X>` directives of LoopOps.td.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_PART_LOOPFORMAT_H
#define PARTITA_DIALECT_PART_LOOPFORMAT_H

#include "partita/Dialect/Part/PartDialect.h"

namespace partita::part {

/// `"model"`, or `"model":(1)4`.
mlir::ParseResult parseAxis(mlir::OpAsmParser &parser, sdy::AxisRefAttr &axis);
void printAxis(mlir::OpAsmPrinter &printer, mlir::Operation *, sdy::AxisRefAttr axis);

/// `[tile<0>, sum, sum<maximum>, any]`.
mlir::ParseResult parseActions(mlir::OpAsmParser &parser, mlir::ArrayAttr &actions);
void printActions(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::ArrayAttr actions);

/// `(%model) { ... }`: the text gives the position no type; it is always a tensor<i64>.
mlir::ParseResult parseLoopBody(mlir::OpAsmParser &parser, mlir::Region &body);
void printLoopBody(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Region &body);

} // namespace partita::part

#endif
