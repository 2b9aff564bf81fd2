//===- PermutePrices.h - the least time of permutes between forms ---------===//
//
// A permute leaves every dim as many parts as it has, by other axes or in another
// order. Forms of the bound have no orders (ShardingTable.h), so what counts is the
// cheapest of all orders before and behind it, each with the messages that it
// sends. Those do not depend on which dims the axes split.
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

  /// Of pieces of so many bytes. `from` and `to` make as many parts of each dim, and the order of axes on dims is
  /// open.
  int64_t computeLeast(const Sharding &from, const Sharding &to, int64_t bytes);

private:
  /// For each device of the machine, the one whose piece it takes.
  using Messages = std::vector<int64_t>;
  /// What a permute does: for each dim that is split, the axes before and behind it. In ascending order.
  using Pattern = std::vector<std::pair<DimAxes, DimAxes>>;

  const std::vector<Messages> &findMessages(const Sharding &from, const Sharding &to);
  std::vector<Messages> listMessages(const Pattern &pattern) const;
  Messages computeMessages(const Sharding &from, const Sharding &to) const;

  const CostModel &model;
  /// All ways to order axes on dims, those that send the same messages once. Empty: too many.
  std::map<Pattern, std::vector<Messages>> messages;
  std::map<std::pair<const std::vector<Messages> *, int64_t>, int64_t> prices;
};

} // namespace partita::search

#endif
