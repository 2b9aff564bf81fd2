//===- SdyDialect.h - the sdy dialect and its attributes ------------------===//
//
// What all families of ops share. The families have headers of their own; Sdy.h
// includes them all. Arithmetic on axes is in Axes.h, the sharding of a given
// value in ShardingOf.h.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DIALECT_SDY_SDYDIALECT_H
#define PARTITA_DIALECT_SDY_SDYDIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "partita/Dialect/Sdy/Dialect.h.inc"

#include "partita/Dialect/Sdy/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "partita/Dialect/Sdy/Attrs.h.inc"

namespace partita::sdy {

/// Attributes that any op, function argument or function result may carry.
inline constexpr llvm::StringLiteral kShardingName = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleName = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kPropagationEdgesName = "sdy.propagation_edges";
inline constexpr llvm::StringLiteral kBlockArgPropagationEdgesName = "sdy.block_arg_propagation_edges";
inline constexpr llvm::StringLiteral kResultPropagationEdgesName = "sdy.result_propagation_edges";

/// The letter of a factor in the text of a rule: i, j, ..., z, z_1, z_2, ...
std::string getFactorSymbol(int64_t factor);

} // namespace partita::sdy

#endif
