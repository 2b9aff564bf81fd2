//===- IndexExpression.h - integers computed from the device's number -----===//
//
// The sum of a constant and of multiples of digits of the device's number.
// Local programs compute the start of a piece in this way:
//
//   partition_id / 2 % 4 * 16      is 16 times the digit of stride 2 and size 4
//   (partition_id % 4 + 1) % 4     is that of stride 1 and size 4, shifted by 1
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

  /// The results, if they are such expressions again and do not overflow.
  std::optional<IndexExpression> add(const IndexExpression &other) const;
  std::optional<IndexExpression> multiply(const IndexExpression &other) const;
  std::optional<IndexExpression> divide(int64_t divisor) const;
  std::optional<IndexExpression> remainder(int64_t divisor) const;

  /// Whether all its values fit into `width` bits, so that the computation does not wrap.
  bool fits(unsigned width, bool isUnsigned) const;

  /// The digits whose mixed-radix number, times `unit`, equals this expression, if there are any.
  std::optional<Digits> findDigits(int64_t unit) const;

  /// The value on devices whose `digit`, which is not shifted, is `number`; nothing if it depends on more.
  std::optional<int64_t> evaluate(const PieceDigit &digit, int64_t number) const;

private:
  struct Term {
    int64_t factor;
    PieceDigit digit;
  };

  /// The only term, if the expression is a digit itself.
  const Term *getDigit() const;

  int64_t constant;
  llvm::SmallVector<Term, 2> terms;
};

} // namespace partita::verify

#endif
