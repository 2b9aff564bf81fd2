//===- Hash.h - one word from another, the same everywhere ----------------===//

#ifndef PARTITA_SEARCH_HASH_H
#define PARTITA_SEARCH_HASH_H

#include <cstdint>

namespace partita {

/// A bijection that leaves no bit where it was (the finalizer of splitmix64).
inline uint64_t mixHash(uint64_t z) {
  z += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

} // namespace partita

#endif
