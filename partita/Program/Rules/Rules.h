//===- Rules.h - every op's rule and local form ---------------------------===//
//
// One file per family of ops holds both halves of an op's meaning:
//
//   computeRule   which factors the op has, and how they map to dims;
//   emitLocal     what one device computes when some of them are split.
//
// Lowering and the validator (ValidateRules) both use `emitLocal`: there is no
// second definition.
//
// If factor f is split into p parts, the device with index i holds the i-th of
// p equal pieces of each dim that f is part of. For a parallel factor,
// `emitLocal` gives the device's piece of the result. For a reduced factor it
// gives a partial result: combining those of all p devices with the factor's
// combiner gives the whole.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_RULES_H
#define PARTITA_PROGRAM_RULES_RULES_H

#include "partita/Graph/Rule.h"
#include "partita/Program/Rooms.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

#include <optional>

namespace partita::program {

namespace rules {
class RuleTable;
} // namespace rules

/// Rules that the user gives for custom calls: target to einsum text.
using UserRules = llvm::StringMap<std::string>;

/// `target=([i])->([i])` entries; an error for one without `=`.
Result<UserRules> parseUserRules(llvm::ArrayRef<std::string> entries);

/// An op's rule, and the reason for what may not be split.
struct OpRule {
  Rule rule;
  /// Why some dims stay whole, in words for docs and reports; empty if nothing does.
  std::string whole;
  /// Nothing is known about the op. It is kept whole, which is always right, and must be reported.
  bool isUnknown = false;
  /// Nothing is known about the work of the op. Its time and memory are lower limits, and it must be reported.
  bool isUnpriced = false;
  /// Multiplications and additions of a kernel call; absent where the op itself tells (OpTraits.h).
  std::optional<int64_t> flops = std::nullopt;
  /// The name of a known call, by which it is priced (graph::findOpKind); empty: the op's own.
  llvm::StringRef opName = {};
};

/// The rule of `op`. Every op of stablehlo, chlo and sdy that a normal form may contain has one. Ops with regions that
/// flatten takes apart (while, case, if, manual_computation) give a rule without factors.
Result<OpRule> computeRule(mlir::Operation *op, const UserRules &userRules);
/// The same with another table than the built-in one.
Result<OpRule> computeRule(mlir::Operation *op, const UserRules &userRules, const rules::RuleTable &table);

/// Factor `factor` of the op is split into `parts` equal parts, of which this device has number `index`.
struct Split {
  uint8_t factor = 0;
  int64_t parts = 1;
  /// A scalar `tensor<i64>`.
  mlir::Value index;
};

/// Emits at `builder` what one device computes of `op` and gives the pieces of the results. `operands` are the device's
/// pieces of the op's operands. `splits` must be valid: each factor is splittable and occurs once, its parts divide its
/// size, and a minor factor of a compound dim is split only if the factors before it are split fully.
llvm::SmallVector<mlir::Value> emitLocal(mlir::OpBuilder &builder, mlir::Operation *op, const Rule &rule,
                                         mlir::ValueRange operands, llvm::ArrayRef<Split> splits);
/// The same with another table than the built-in one.
llvm::SmallVector<mlir::Value> emitLocal(mlir::OpBuilder &builder, mlir::Operation *op, const Rule &rule,
                                         mlir::ValueRange operands, llvm::ArrayRef<Split> splits,
                                         const rules::RuleTable &table);

/// The shape of a device's piece of a value of shape `shape` whose dims have `factors`.
llvm::SmallVector<int64_t> computeLocalShape(llvm::ArrayRef<int64_t> shape, const ValueFactors &factors,
                                             llvm::ArrayRef<Split> splits);

/// Calls `visit` with every op that has a rule, in program order. Ops in the regions of reducers and comparators belong
/// to their op. Stops with an error at an op whose rule cannot be made.
Status visitRules(mlir::Operation *root, const UserRules &userRules,
                  llvm::function_ref<void(mlir::Operation *, const OpRule &)> visit);

/// `stablehlo.add: ([a,b],[a,b])->([a,b])`, with the reason for what stays whole.
std::string printOpRule(mlir::Operation *op, const OpRule &rule);

/// Every op's rule, a line each.
Result<std::string> printRules(mlir::Operation *root, const UserRules &userRules);

/// Whether `splits` may be applied together: see emitLocal.
bool isValidSplit(const Rule &rule, llvm::ArrayRef<Split> splits);

} // namespace partita::program

#endif
