//===- LocalForm.h - what a rule emits, against what stands there ---------===//

#ifndef PARTITA_EVALUATE_RELATION_LOCALFORM_H
#define PARTITA_EVALUATE_RELATION_LOCALFORM_H

#include "partita/Evaluate/Relation/FactorSplits.h"
#include "partita/Evaluate/Relation/LocalFacts.h"
#include "partita/Evaluate/Relation/Numbering.h"
#include "partita/Program/Rules/Rules.h"

namespace partita::evaluate {

/// The local form of an op for some splits, in a block of its own, and its comparison with the local program.
class LocalForm {
public:
  LocalForm(mlir::Operation *original, const Rule &rule, FactorSplits &splits, const Numbering &numbering,
            const LocalFacts &facts)
      : original(original), rule(rule), splits(splits), numbering(numbering), facts(facts),
        operandForms(original->getNumOperands()) {}

  /// False if the splits are none that the op can have.
  bool emit();
  llvm::ArrayRef<mlir::Value> getPieces() const { return pieces; }

  /// Whether `local` is the op itself on pieces, which most local forms are: what is to be emitted need not be.
  bool isOpItself(mlir::Operation *local);

  /// Whether the value in the local program is the emitted one.
  bool isSame(mlir::Value emitted, mlir::Value local);
  /// What the operands are that the local program takes; nothing for those that it does not look at.
  llvm::ArrayRef<std::optional<Form>> getOperandForms() const { return operandForms; }

private:
  llvm::SmallVector<Split> makeSplits() const;
  bool isOperand(unsigned index, mlir::Value local);
  bool isResult(unsigned index, mlir::Value local, llvm::ArrayRef<Split> placed) const;
  bool isSameOp(mlir::Operation *emitted, mlir::Operation *local);

  mlir::Operation *original;
  const Rule &rule;
  FactorSplits &splits;
  const Numbering &numbering;
  const LocalFacts &facts;
  mlir::Block block;
  llvm::SmallVector<uint8_t> splitFactors;
  llvm::SmallVector<mlir::Value> pieces;
  llvm::SmallVector<std::optional<Form>> operandForms;
  llvm::DenseMap<mlir::Value, mlir::Value> compared;
};

} // namespace partita::evaluate

#endif
