//===- Hash.h - the mixer behind all hashes and random numbers ------------===//
//
// One bijection of 64-bit words (the finalizer of splitmix64), the same on every
// platform. Hashes fold words with it, and random sequences step through it, so
// that what depends on them depends on their inputs alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_HASH_H
#define PARTITA_SUPPORT_HASH_H

#include <cstdint>

namespace partita {

/// The distance between the states of a splitmix64 sequence.
inline constexpr uint64_t hashStep = 0x9E3779B97F4A7C15u;

/// Every bit of the input changes every bit of the output with probability one half.
inline uint64_t mixHash(uint64_t word) {
  word += hashStep;
  word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
  word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
  return word ^ (word >> 31);
}

/// Mixes a word into a hash.
inline uint64_t mixHash(uint64_t hash, uint64_t word) { return mixHash((hash ^ word) + (hash << 6)); }

/// The next number of the splitmix64 sequence whose state this is.
inline uint64_t nextRandom(uint64_t &state) {
  uint64_t number = mixHash(state);
  state += hashStep;
  return number;
}

/// Mixes a word into the hash of a table in one multiplication; `finishFastHash` brings its upper bits down.
inline uint64_t mixFastHash(uint64_t hash, uint64_t word) { return (hash ^ word ^ hash >> 29) * 0xD6E8FEB86659FD93u; }
inline uint64_t finishFastHash(uint64_t hash) { return hash ^ hash >> 32; }

} // namespace partita

#endif
