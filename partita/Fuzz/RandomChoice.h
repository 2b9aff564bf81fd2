//===- RandomChoice.h - random numbers, equal on all machines -------------===//
//
// The standard library's distributions differ between implementations. Here the
// same seed gives the same numbers on every machine.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMCHOICE_H
#define PARTITA_FUZZ_RANDOMCHOICE_H

#include "partita/Fuzz/Rooms.h"
#include "partita/Support/Hash.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace partita::fuzz {

/// Splitmix64: small, fast, and defined by its arithmetic alone.
class RandomChoice {
public:
  explicit RandomChoice(uint64_t seed) : state(seed) {}

  uint64_t next() { return nextRandom(state); }

  /// From 0 to `bound` - 1; 0 if the bound is 0.
  int64_t below(int64_t bound) { return bound <= 0 ? 0 : static_cast<int64_t>(next() % static_cast<uint64_t>(bound)); }
  /// From `low` to `high`.
  int64_t between(int64_t low, int64_t high) { return low + below(high - low + 1); }
  bool chance(int64_t percent) { return below(100) < percent; }

  /// An element; the list must not be empty.
  template <typename T> const T &pick(llvm::ArrayRef<T> list) { return list[below(list.size())]; }
  template <typename T> const T &pick(std::initializer_list<T> list) { return list.begin()[below(list.size())]; }

  template <typename List> void shuffle(List &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(i)]);
  }

private:
  uint64_t state;
};

} // namespace partita::fuzz

#endif
