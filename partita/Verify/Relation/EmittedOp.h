//===- EmittedOp.h - what a rule emits, against what stands there ---------===//

#ifndef PARTITA_VERIFY_RELATION_EMITTEDOP_H
#define PARTITA_VERIFY_RELATION_EMITTEDOP_H

#include "partita/Program/Rules/Rules.h"
#include "partita/Verify/Relation/FactorSplits.h"
#include "partita/Verify/Relation/LocalFacts.h"
#include "partita/Verify/Relation/Numbering.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// The local layout of an op for some splits, in a block of its own, and its comparison with the local program.
class EmittedOp {
public:
  EmittedOp(mlir::Operation *original, const Rule &rule, FactorSplits &splits, const Numbering &numbering,
            const LocalFacts &facts)
      : original(original), rule(rule), splits(splits), numbering(numbering), facts(facts),
        operandLayouts(original->getNumOperands()) {}

  /// False if the splits are none that the op can have.
  bool emit();
  llvm::ArrayRef<mlir::Value> getPieces() const { return pieces; }

  /// Whether `local` is the op itself on pieces, which most local layouts are: what is to be emitted need not be.
  bool isOpItself(mlir::Operation *local);

  /// Whether the value in the local program is the emitted one.
  bool isSame(mlir::Value emitted, mlir::Value local);
  /// What the operands are that the local program takes; nothing for those that it does not look at.
  llvm::ArrayRef<std::optional<PieceLayout>> getOperandLayouts() const { return operandLayouts; }

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
  llvm::SmallVector<std::optional<PieceLayout>> operandLayouts;
  llvm::DenseMap<mlir::Value, mlir::Value> compared;
};

} // namespace partita::verify

#endif
