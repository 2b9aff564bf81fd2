//===- IndexExpression.h - integers that devices compute of their number --===//
//
// The sum of a constant and of multiples of digits of the device's number:
//
//   partition_id / 2 % 4 * 16      is 16 times the digit of stride 2 and size 4
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_INDEXEXPRESSION_H
#define PARTITA_VERIFY_RELATION_INDEXEXPRESSION_H

#include "partita/Verify/Relation/PieceLayout.h"
#include "partita/Verify/Rooms.h"

namespace partita::verify {

class IndexExpression {
public:
  explicit IndexExpression(int64_t constant = 0) : constant(constant) {}
  /// The device's number, of `numDevices`.
  static IndexExpression makeNumber(int64_t numDevices);

  std::optional<int64_t> getConstant() const { return terms.empty() ? std::optional(constant) : std::nullopt; }

  /// The results, where they are such expressions again and do not overflow.
  std::optional<IndexExpression> add(const IndexExpression &other) const;
  std::optional<IndexExpression> multiply(const IndexExpression &other) const;
  std::optional<IndexExpression> divide(int64_t divisor) const;
  std::optional<IndexExpression> remainder(int64_t divisor) const;

  /// Whether integers of `width` bits have all its values, so that computing it in them does not wrap.
  bool fits(unsigned width, bool isUnsigned) const;

  /// The digits whose number, times `unit`, this is; nothing if there are none such.
  std::optional<Digits> findDigits(int64_t unit) const;

private:
  struct Term {
    int64_t factor;
    Digit digit;
  };

  /// The only term, if it is a digit itself.
  const Term *getDigit() const;

  int64_t constant;
  llvm::SmallVector<Term, 2> terms;
};

} // namespace partita::verify

#endif
