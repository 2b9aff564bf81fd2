//===- Digits.h - which elements of a dim belong to a microbatch ----------===//
//
// A dim's index, written in mixed radix, has a digit that counts microbatches:
// element i belongs to microbatch (i / stride) % count. The batch itself has
// stride 1, so that microbatch m is its rows m, m + count, m + 2 * count, ...: a
// part of each device's share, however the batch is split over devices. Where
// rows are flattened into a longer dim, the stride is the length of a row.
//
//   [B, S] -> [B * S]    digit {dim 0, stride 1} -> {dim 0, stride S}
//
// The same for a factor of an op: dims consist of factors, major to minor.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_DIGITS_H
#define PARTITA_TEMPORAL_DIGITS_H

#include "partita/Graph/RulePool.h"
#include "partita/Temporal/Rooms.h"

#include <optional>

namespace partita::temporal {

struct RowDigit {
  uint32_t dim = 0;
  int64_t stride = 1;
  auto operator<=>(const RowDigit &) const = default;
};

struct FactorDigit {
  uint8_t factor = 0;
  int64_t stride = 1;
  auto operator<=>(const FactorDigit &) const = default;
};

/// The factor that has the digit of a value's dim; nothing if the digit lies across factors.
std::optional<FactorDigit> findFactor(const Rule &rule, const ValueFactors &value, RowDigit digit, int64_t count);

/// The digit of the value that the factor's digit is; nothing if the value has no such factor.
std::optional<RowDigit> findDigit(const Rule &rule, const ValueFactors &value, FactorDigit digit);

/// The factors of operand or result number `value` (operands first, then results).
const ValueFactors &getValue(const Rule &rule, uint32_t value);

/// The rules of all ops of a graph.
IdVector<OpId, Rule> buildRules(const Graph &graph);

} // namespace partita::temporal

#endif
