//===- PermutePrices.cpp - the least time of permutes ---------------------===//

#include "partita/Search/Bound/PermutePrices.h"

#include "partita/Cost/DeviceGroups.h"
#include "partita/Machine/PermutePrice.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace partita::search {

PermutePrices::Messages PermutePrices::computeMessages(const Sharding &from, const Sharding &to) const {
  llvm::ArrayRef<int64_t> order = model.getDeviceOrder();
  Messages sources(order.size());
  for (auto [device, source] : llvm::enumerate(computeSources(model.getAxes(), from, to)))
    sources[static_cast<size_t>(order[device])] = order[static_cast<size_t>(source)];
  return sources;
}

/// Advances to the next order of axes on dims, the last dim first; returns false after the last one.
static bool advance(Sharding &sharding) {
  for (DimAxes &dim : llvm::reverse(sharding.dims))
    if (std::next_permutation(dim.begin(), dim.end()))
      return true;
  return false;
}

std::vector<PermutePrices::Messages> PermutePrices::listMessages(const Pattern &pattern) const {
  constexpr size_t maxPairs = 64;
  Sharding from, to;
  size_t numPairs = 1;
  for (const auto &[before, behind] : pattern) {
    from.dims.push_back(before);
    to.dims.push_back(behind);
    for (size_t i = 2; i <= std::max(before.size(), behind.size()) && numPairs <= maxPairs; ++i)
      numPairs *= (i <= before.size() ? i : 1) * (i <= behind.size() ? i : 1);
  }
  if (numPairs > maxPairs)
    return {};
  std::set<Messages> found;
  do {
    do {
      found.insert(computeMessages(from, to));
    } while (advance(to));
  } while (advance(from));
  return {found.begin(), found.end()};
}

const std::vector<PermutePrices::Messages> &PermutePrices::findMessages(const Sharding &from, const Sharding &to) {
  Pattern pattern;
  for (auto [before, behind] : llvm::zip_equal(from.dims, to.dims))
    if (!before.empty()) {
      pattern.emplace_back(before, behind);
      llvm::sort(pattern.back().first);
      llvm::sort(pattern.back().second);
    }
  llvm::sort(pattern);
  auto [entry, isNew] = messages.try_emplace(std::move(pattern));
  if (isNew)
    entry->second = listMessages(entry->first);
  return entry->second;
}

int64_t PermutePrices::computeLeast(const Sharding &from, const Sharding &to, int64_t bytes) {
  const std::vector<Messages> &ways = findMessages(from, to);
  if (ways.empty())
    return 0;
  auto [entry, isNew] = prices.try_emplace({&ways, bytes}, INT64_MAX);
  if (isNew)
    for (const Messages &way : ways)
      entry->second = std::min(entry->second, pricePermute(model.getMachine(), way, bytes).timePs);
  return entry->second;
}

} // namespace partita::search
