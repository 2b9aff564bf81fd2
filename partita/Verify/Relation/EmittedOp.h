//===- EmittedOp.h - compares emitted ops with local ops ------------------===//
//
// To check an op of the local program, emit what the original op's rule gives
// for the same splits and compare both, op by op. The emitted ops live in a
// block of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_EMITTEDOP_H
#define PARTITA_VERIFY_RELATION_EMITTEDOP_H

#include "partita/Program/Rules/Exchanges.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Verify/Relation/FactorSplits.h"
#include "partita/Verify/Relation/LocalFacts.h"
#include "partita/Verify/Relation/Numbering.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

/// The local form of an op for some splits, and its comparison with the local program.
class EmittedOp {
public:
  EmittedOp(mlir::Operation *original, const Rule &rule, FactorSplits &splits, const Numbering &numbering,
            const LocalFacts &facts)
      : original(original), rule(rule), splits(splits), numbering(numbering), facts(facts),
        operandLayouts(original->getNumOperands()) {}

  /// Emits the local form. False if the op cannot have these splits.
  bool emit();
  llvm::ArrayRef<mlir::Value> getPieces() const { return pieces; }

  /// Whether `local` is the op itself on pieces, as most local forms are. Then nothing needs to be emitted.
  bool isOpItself(mlir::Operation *local);

  /// Whether the value in the local program equals the emitted one.
  bool isSame(mlir::Value emitted, mlir::Value local);
  /// The layouts of the operands that the local program uses; nothing for those that it does not use.
  llvm::ArrayRef<std::optional<PieceLayout>> getOperandLayouts() const { return operandLayouts; }

private:
  llvm::SmallVector<Split> makeSplits() const;
  bool isOperand(unsigned index, mlir::Value local);
  bool isResult(unsigned index, mlir::Value local, llvm::ArrayRef<Split> placed) const;
  bool isSameOp(mlir::Operation *emitted, mlir::Operation *local);
  /// Whether devices of `local` send as `emitted` states.
  bool isPermute(mlir::Operation *emitted, const FactorPermute &stated, mlir::Operation *local);
  /// Whether `local` gathers along the factor that `emitted` states.
  bool isGathered(mlir::Operation *emitted, uint8_t factor, mlir::Operation *local);
  bool bindDigits(uint8_t factor, int64_t numDevices, llvm::function_ref<bool(const Digits &)> isAlong);

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
