//===- ChloDialect.h - the chlo dialect and its attributes ----------------===//
//
// What all families of chlo ops share. Chlo.h includes the families.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_CHLO_CHLODIALECT_H
#define PARTITA_DIALECT_CHLO_CHLODIALECT_H

#include "partita/Dialect/StableHlo/Compatibility.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "partita/Dialect/Chlo/Dialect.h.inc"

#include "partita/Dialect/Chlo/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Chlo/Attrs.h.inc"

#endif
