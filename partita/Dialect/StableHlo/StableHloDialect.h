//===- StableHloDialect.h - the stablehlo dialect, types, attributes ------===//
//
// What all families of ops share. The families have headers of their own;
// StableHlo.h includes them all.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_STABLEHLO_STABLEHLODIALECT_H
#define PARTITA_DIALECT_STABLEHLO_STABLEHLODIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "partita/Dialect/StableHlo/Dialect.h.inc"

#include "partita/Dialect/StableHlo/Enums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "partita/Dialect/StableHlo/Types.h.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/StableHlo/Attrs.h.inc"

namespace partita::stablehlo {

/// The accuracy of an op for which the program asks none.
ResultAccuracyAttr getDefaultResultAccuracy(mlir::MLIRContext *context);

} // namespace partita::stablehlo

#endif
