//===- IndexExpression.cpp - integers computed from the device's number ---===//

#include "partita/Verify/Relation/IndexExpression.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace partita::verify {

IndexExpression IndexExpression::makeNumber(int64_t numDevices) {
  IndexExpression number;
  if (numDevices > 1)
    number.terms.push_back({1, {1, numDevices}});
  return number;
}

std::optional<IndexExpression> IndexExpression::add(const IndexExpression &other) const {
  IndexExpression sum = *this;
  if (llvm::AddOverflow(constant, other.constant, sum.constant))
    return std::nullopt;
  llvm::append_range(sum.terms, other.terms);
  return sum;
}

std::optional<IndexExpression> IndexExpression::multiply(const IndexExpression &other) const {
  if (!other.terms.empty())
    return terms.empty() ? other.multiply(*this) : std::nullopt;
  IndexExpression product = *this;
  if (other.constant == 0)
    return IndexExpression();
  if (llvm::MulOverflow(constant, other.constant, product.constant))
    return std::nullopt;
  for (Term &term : product.terms)
    if (llvm::MulOverflow(term.factor, other.constant, term.factor))
      return std::nullopt;
  return product;
}

const IndexExpression::Term *IndexExpression::getDigit() const {
  return constant == 0 && terms.size() == 1 && terms.front().factor == 1 ? &terms.front() : nullptr;
}

std::optional<IndexExpression> IndexExpression::divide(int64_t divisor) const {
  const Term *term = getDigit();
  if (!term || term->digit.shift != 0 || divisor < 1 || term->digit.size % divisor != 0)
    return std::nullopt;
  IndexExpression quotient;
  if (term->digit.size > divisor)
    quotient.terms.push_back({1, {term->digit.stride * divisor, term->digit.size / divisor}});
  return quotient;
}

/// The digit whose shifted number is what is left of `digit` + `shift` by a division by `divisor`.
static std::optional<PieceDigit> turnDigit(const PieceDigit &digit, int64_t shift, int64_t divisor) {
  if (digit.size != divisor || shift < 0)
    return std::nullopt;
  return PieceDigit{digit.stride, divisor, (digit.shift + shift % divisor) % divisor};
}

std::optional<IndexExpression> IndexExpression::remainder(int64_t divisor) const {
  if (constant != 0 && divisor > 1 && terms.size() == 1 && terms.front().factor == 1) {
    std::optional<PieceDigit> turned = turnDigit(terms.front().digit, constant, divisor);
    if (!turned)
      return std::nullopt;
    IndexExpression rest;
    rest.terms.push_back({1, *turned});
    return rest;
  }
  const Term *term = getDigit();
  if (!term || term->digit.shift != 0 || divisor < 1 || term->digit.size % divisor != 0)
    return std::nullopt;
  IndexExpression rest;
  if (divisor > 1)
    rest.terms.push_back({1, {term->digit.stride, divisor}});
  return rest;
}

bool IndexExpression::fits(unsigned width, bool isUnsigned) const {
  int64_t least = constant, most = constant;
  for (const Term &term : terms) {
    int64_t last;
    int64_t &end = term.factor < 0 ? least : most;
    if (llvm::MulOverflow(term.factor, term.digit.size - 1, last) || llvm::AddOverflow(end, last, end))
      return false;
  }
  if (isUnsigned)
    return least >= 0 && (width >= 63 || llvm::isUIntN(width, most));
  return width >= 64 || (llvm::isIntN(width, least) && llvm::isIntN(width, most));
}

std::optional<Digits> IndexExpression::findDigits(int64_t unit) const {
  if (constant != 0)
    return std::nullopt;
  SmallVector<Term, 2> sorted(terms);
  llvm::sort(sorted, [](const Term &a, const Term &b) { return a.factor > b.factor; });
  Digits digits;
  for (const Term &term : llvm::reverse(sorted)) {
    if (term.factor != unit)
      return std::nullopt;
    unit *= term.digit.size;
    digits.insert(digits.begin(), term.digit);
  }
  return joinDigits(digits);
}

std::optional<int64_t> IndexExpression::evaluate(const PieceDigit &digit, int64_t number) const {
  int64_t value = constant, part;
  for (const Term &term : terms) {
    if (term.digit.stride != digit.stride || term.digit.size != digit.size)
      return std::nullopt;
    if (llvm::MulOverflow(term.factor, (number + term.digit.shift) % digit.size, part) ||
        llvm::AddOverflow(value, part, value))
      return std::nullopt;
  }
  return value;
}

} // namespace partita::verify
