//===- AttrFormat.h - parses and prints sdy attributes and bodies ---------===//
//
// Pairs of parseX and printX behind the `custom<X>` directives of the .td files.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_ATTRFORMAT_H
#define PARTITA_DIALECT_SDY_ATTRFORMAT_H

#include "partita/Dialect/Sdy/SdyDialect.h"

namespace partita::sdy {

/// `@mesh`, or `mesh<["x"=2]>`.
mlir::ParseResult parseMeshOrRef(mlir::AsmParser &parser, mlir::Attribute &meshOrRef);
void printMeshOrRef(mlir::AsmPrinter &printer, mlir::Attribute meshOrRef);

/// `, replicated={"x"}, unreduced={"y"}`, each if it has axes; read in either order.
mlir::ParseResult parseNamedAxes(mlir::AsmParser &parser, llvm::SmallVectorImpl<AxisRefAttr> &replicated,
                                 llvm::SmallVectorImpl<AxisRefAttr> &unreduced);
void printNamedAxes(mlir::AsmPrinter &printer, llvm::ArrayRef<AxisRefAttr> replicated,
                    llvm::ArrayRef<AxisRefAttr> unreduced);

/// ` {i=8, j=4}`: all factors in their order.
mlir::ParseResult parseFactorSizes(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &sizes);
void printFactorSizes(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> sizes);

/// ` reduction={i, k}`, nothing if there are none.
mlir::ParseResult parseFactorSet(mlir::AsmParser &parser, llvm::SmallVectorImpl<int64_t> &factors,
                                 llvm::StringRef keyword);
void printFactorSet(mlir::AsmPrinter &printer, llvm::ArrayRef<int64_t> factors, llvm::StringRef keyword);

/// `, custom`.
mlir::ParseResult parseCustomRuleMark(mlir::AsmParser &parser, bool &isCustom);
void printCustomRuleMark(mlir::AsmPrinter &printer, bool isCustom);

/// `[<@mesh, [{}]>, <@mesh, [{"x"}]>]`.
mlir::ParseResult parseShardingList(mlir::AsmParser &parser, TensorShardingPerValueAttr &shardings);
void printShardingList(mlir::AsmPrinter &printer, mlir::Operation *, TensorShardingPerValueAttr shardings);

/// `(%arg0: tensor<4xf32>) { ... }`.
mlir::ParseResult parseBodyWithArguments(mlir::OpAsmParser &parser, mlir::Region &body);
void printBodyWithArguments(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Region &body);

} // namespace partita::sdy

#endif
