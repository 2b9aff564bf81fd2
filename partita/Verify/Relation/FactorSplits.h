//===- FactorSplits.h - how an op is split, from its operands -------------===//
//
// The rule and the layouts of an op's operands tell along which digits each
// factor is split. A factor that occurs only in uniform dims, or in no operand,
// may be split along any digits; the size of the piece tells into how many
// parts.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_FACTORSPLITS_H
#define PARTITA_VERIFY_RELATION_FACTORSPLITS_H

#include "partita/Verify/Relation/PieceLayout.h"
#include "partita/Verify/Rooms.h"

#include "mlir/IR/Operation.h"

namespace partita::verify {

class FactorSplits {
public:
  FactorSplits(mlir::Operation *op, const Rule &rule) : op(op), rule(rule), factors(rule.factors.size()) {}

  /// Adds that a device holds a piece of operand `operand` with this layout and shape. False, with the reason, if that
  /// contradicts the rest.
  bool addOperand(unsigned operand, const PieceLayout &layout, llvm::ArrayRef<int64_t> pieceShape, std::string &why);
  /// Adds that it gives a piece of result `result` with this shape.
  bool addResult(unsigned result, llvm::ArrayRef<int64_t> pieceShape, std::string &why);

  /// Into how many parts the factor is split.
  int64_t getParts(uint8_t factor) const { return factors[factor].parts; }
  /// The digits that split the factor; of stride 0 where any would do.
  Digits getDigits(uint8_t factor) const;
  /// Adds that the op uses the device's index along the factor, which has these digits. False if that contradicts the
  /// rest.
  bool bindIndex(uint8_t factor, const Digits &digits);

  /// The digits of all factors that the op reduces, one factor after the other.
  Digits getReducedDigits() const;
  /// A bit for each of them that is split.
  uint64_t getReducedFactors() const;

  /// The layout of a result, without the partial digits of operands. It need not be proper.
  std::optional<PieceLayout> makeResultLayout(unsigned result) const;

private:
  struct FactorState {
    int64_t parts = 1;
    /// Set by an operand whose dim is not uniform, or by an index.
    std::optional<Digits> digits;
    bool isInOperand = false;
  };

  bool setDigits(uint8_t factor, const Digits &digits, std::string &why);
  bool setParts(const DimFactors &dimFactors, int64_t size, int64_t pieceSize, std::string &why);
  bool isUniform(uint8_t factor) const;

  mlir::Operation *op;
  const Rule &rule;
  llvm::SmallVector<FactorState> factors;
};

} // namespace partita::verify

#endif
