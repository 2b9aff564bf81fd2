//===- FactorSplits.h - how an op is split, from what devices hold --------===//
//
// The layouts of an op's operands, by its rule, say along which digits each factor
// is split. A factor that only uniform dims have, or no operand at all, may be
// split along any: the size of the piece says into how many parts.
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

  /// A device holds a piece of operand `operand` of this layout and shape; false, with the reason, if that cannot be.
  bool addOperand(unsigned operand, const PieceLayout &layout, llvm::ArrayRef<int64_t> pieceShape, std::string &why);
  /// It gives a piece of result `result` of this shape.
  bool addResult(unsigned result, llvm::ArrayRef<int64_t> pieceShape, std::string &why);

  /// Into how many parts the factor is split.
  int64_t getParts(uint8_t factor) const { return factors[factor].parts; }
  /// Along which digits; of stride 0 where any would do.
  Digits getDigits(uint8_t factor) const;
  /// The device's index along the factor is used, and is of these digits; false if it cannot be.
  bool bindIndex(uint8_t factor, const Digits &digits);

  /// The layout of a result, without what is partial in operands.
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
