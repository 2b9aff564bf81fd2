//===- SharedPrices.h - prices and ratings that walkers share -------------===//
//
// Walkers on several threads, or used one after the other, reach the same
// states and the same prices of units. Here they share them. Prices and ratings
// depend on the state alone, so results do not depend on which walker was
// first.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SHAREDPRICES_H
#define PARTITA_SEARCH_SHAREDPRICES_H

#include "partita/Cost/SharedPriceCache.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/Space.h"

#include <mutex>
#include <optional>
#include <unordered_map>

namespace partita::search {

/// For one cost model and one list of goals. Thread-safe.
class SharedPrices {
public:
  SharedPriceCache &getCache() { return records; }

  std::optional<Rating> findRating(uint64_t state) const {
    std::lock_guard lock(mutex);
    auto found = ratings.find(state);
    return found == ratings.end() ? std::nullopt : std::optional(found->second);
  }
  void addRating(uint64_t state, const Rating &rating) {
    std::lock_guard lock(mutex);
    ratings.try_emplace(state, rating);
  }

private:
  SharedPriceCache records;
  mutable std::mutex mutex;
  std::unordered_map<uint64_t, Rating> ratings;
};

} // namespace partita::search

#endif
