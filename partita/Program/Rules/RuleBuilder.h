//===- RuleBuilder.h - an op's rule, written factor by factor -------------===//
//
// A rule function names the dims of each factor. A dim without a factor stays
// whole:
//
//   RuleBuilder rule(op);                                 // [m,k] x [k,n] -> [m,n]
//   rule.addParallel(m, {ofOperand(0, 0), ofResult(0, 0)});
//   rule.addParallel(n, {ofOperand(1, 1), ofResult(0, 1)});
//   rule.addSum(k, {ofOperand(0, 1), ofOperand(1, 0)});
//   return rule.finish("");
//
// Factors of one dim are added major to minor. Sizes of one or less (dims of
// size one, empty and dynamic dims) add nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_PROGRAM_RULES_RULEBUILDER_H
#define PARTITA_PROGRAM_RULES_RULEBUILDER_H

#include "partita/Program/Rooms.h"
#include "partita/Program/Rules/RuleTable.h"

namespace partita::program::rules {

/// One dim of one operand or result.
struct DimRef {
  bool isResult;
  unsigned value;
  int64_t dim;
};

inline DimRef ofOperand(unsigned value, int64_t dim) { return {false, value, dim}; }
inline DimRef ofResult(unsigned value, int64_t dim) { return {true, value, dim}; }

class RuleBuilder {
public:
  explicit RuleBuilder(mlir::Operation *op) : op(op), result(makeRule(op)) {}

  void addParallel(int64_t size, llvm::ArrayRef<DimRef> dims, Halo halo = {});
  /// A factor whose partial results are added in the result's element type. A quantized result is rounded, so its parts
  /// do not add up and the factor stays whole.
  void addSum(int64_t size, llvm::ArrayRef<DimRef> dims, Halo halo = {});
  /// A factor along which rows move: row i of the result is row i + `shift` of the operands, one behind the other. Its
  /// size is the largest number of pieces that all dims can have. False, and nothing added, if that is one.
  bool addMoved(llvm::ArrayRef<DimRef> dims, int64_t shift);
  /// A dim whose parts stand in reverse order in the result.
  void addReversed(int64_t size, llvm::ArrayRef<DimRef> dims);
  /// A factor that needs neighbors, on a single dim.
  void addWindow(DimRef dim);
  /// A factor that stays whole and is only a part of its dim.
  void addWhole(int64_t size, DimRef dim);

  int64_t getSize(DimRef dim) const;

  /// The rule. Every dim without factors stays whole; `why` says in words why, if there is one.
  OpRule finish(llvm::StringRef why);

private:
  void add(Factor factor, llvm::ArrayRef<DimRef> dims);
  ValueFactors &getFactors(DimRef dim);
  void keepRestWhole();
  void keepAllWhole(llvm::StringRef why);
  void keepPerAxisDimsWhole();

  mlir::Operation *op;
  OpRule result;
};

/// Whether every tensor among the op's operands and results has a static shape.
bool hasStaticShapes(mlir::Operation *op);

/// The combiner that adds elements of `type`: `or` for booleans.
Combiner getSumCombiner(mlir::Type type);

bool isQuantizedElement(mlir::Type type);

} // namespace partita::program::rules

#endif
