//===- StructuralHash.h - which ops and cells look the same ---------------------===//
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

#ifndef PARTITA_ANALYSIS_STRUCTURALHASH_H
#define PARTITA_ANALYSIS_STRUCTURALHASH_H

#include "partita/Analysis/Rooms.h"
#include "partita/Propagate/Topology.h"
#include "partita/Support/Hash.h"

namespace partita::analysis {

class StructuralHash {
public:
  explicit StructuralHash(const Topology &topology);

  bool areAlike(OpId a, OpId b) const;
  bool areAlike(CellId a, CellId b) const;
  bool areAlike(RegionId a, RegionId b) const;

  /// h[0] and h[3].
  uint64_t getOwnHash(OpId op) const { return own[op]; }
  uint64_t getFarHash(OpId op) const { return far[op]; }

private:
  using Hashes = IdVector<OpId, uint64_t>;
  /// Of an element type and a shape.
  using TypeId = Id<struct StructuralTypeTag>;

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

} // namespace partita::analysis

#endif
