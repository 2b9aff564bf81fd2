//===- PermutePrices.h - the least time of permutes -----------------------===//
//
// A permute keeps the number of parts of every dim, but uses other axes or
// another order. Shardings of the bound have no order of axes
// (ShardingTable.h), so the price is the cheapest of all orders before and
// after it, each with the messages that it sends. The messages do not depend on
// which dims the axes split.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PERMUTEPRICES_H
#define PARTITA_SEARCH_BOUND_PERMUTEPRICES_H

#include "partita/Cost/CostModel.h"
#include "partita/Propagate/Sharding.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

class PermutePrices {
public:
  explicit PermutePrices(const CostModel &model) : model(model) {}

  /// The least time for pieces of `bytes` bytes. `from` and `to` split each dim into equally many parts; the order of
  /// axes on dims is free.
  int64_t computeLeast(const Sharding &from, const Sharding &to, int64_t bytes);

private:
  /// For each device of the machine, the one whose piece it receives.
  using Messages = std::vector<int64_t>;
  /// The pattern of a permute: for each split dim, the axes before and after it, in ascending order.
  using Pattern = std::vector<std::pair<DimAxes, DimAxes>>;

  const std::vector<Messages> &findMessages(const Sharding &from, const Sharding &to);
  std::vector<Messages> listMessages(const Pattern &pattern) const;
  Messages computeMessages(const Sharding &from, const Sharding &to) const;

  const CostModel &model;
  /// The messages of all ways to order axes on dims, without duplicates. Empty: too many.
  std::map<Pattern, std::vector<Messages>> messages;
  std::map<std::pair<const std::vector<Messages> *, int64_t>, int64_t> prices;
};

} // namespace partita::search

#endif
