//===- SharedPrices.h - what walkers of one space tell each other ---------===//
//
// Walkers on several threads, and those that one search uses one after the other,
// come to the same states and to the same prices of parts of them. What one has
// found, others take. It depends on nothing but the state, so results do not
// depend on who was first.
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

/// Of one cost model and one list of goals. Any thread may call.
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
