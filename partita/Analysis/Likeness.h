//===- Likeness.h - which ops and cells look the same ---------------------===//
//
// Two ops are alike if nothing but their names, their places and the cells they
// touch tells them apart: kind, class, role, phase, linearity, flops, rule, and
// the kinds and types of operands and results. Two cells are alike if they have
// one kind and type and the program says the same of both: tied, donated, given
// shardings, stepped dims, boundaries.
//
// Hashes over neighbours tell apart what is alike but stands elsewhere. With r
// rounds a hash knows everything up to r ops away:
//
//   h[0](op)   = hash of what is compared above
//   h[r+1](op) = hash(h[r](op), h[r] of each operand's definition in order,
//                     sum over uses of the results: hash(h[r](user), operand))
//
// Hashes guess; what is taken for the same is compared.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_ANALYSIS_LIKENESS_H
#define PARTITA_ANALYSIS_LIKENESS_H

#include "partita/Propagate/Topology.h"

namespace partita {

class Likeness {
public:
  explicit Likeness(const Topology &topology);

  bool areAlike(OpId a, OpId b) const;
  bool areAlike(CellId a, CellId b) const;
  bool areAlike(RegionId a, RegionId b) const;

  /// h[0] and h[3].
  uint64_t getOwnHash(OpId op) const { return own[op]; }
  uint64_t getFarHash(OpId op) const { return far[op]; }

private:
  using Hashes = IdVector<OpId, uint64_t>;
  /// Of an element type and a shape.
  using TypeId = Id<struct LikenessTypeTag>;

  void addMarks();
  void addTypes();
  uint64_t hashType(CellId cell) const;
  uint64_t hashSource(CellId cell) const;
  uint64_t hashRule(const Op &op) const;
  Hashes computeOwn() const;
  Hashes computeRound(const Hashes &last) const;
  bool haveSameRule(const Op &a, const Op &b) const;
  bool haveSameTypes(llvm::ArrayRef<CellId> a, llvm::ArrayRef<CellId> b) const;

  const Topology &topology;
  const Graph &graph;
  /// What the program says of a cell, beyond its type, as a hash; 0 if nothing.
  IdVector<CellId, uint64_t> marks;
  IdVector<CellId, TypeId> types;
  IdVector<TypeId, uint64_t> typeHashes;
  Hashes own, far;
};

/// Mixes a word into a hash, the same on every platform.
inline uint64_t mixHash(uint64_t hash, uint64_t word) {
  uint64_t z = (hash ^ word) + 0x9E3779B97F4A7C15u + (hash << 6);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

} // namespace partita

#endif
