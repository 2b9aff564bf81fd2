//===- StructuralHash.h - finds ops and cells that look the same ----------===//
//
// Two ops are alike if they have the same kind, class, role, phase, linearity,
// flops and rule, and the same kinds and types of operands and results. Names,
// locations and the cells themselves may differ. Two cells are alike if they have
// the same kind and type, and the same facts in the program: tied, donated, given
// shardings, stepped dims, boundaries.
//
// Hashes over neighbors distinguish ops that are alike but have different
// surroundings. After r rounds a hash covers everything up to r ops away:
//
//   h[0](op)   = hash of what is compared above
//   h[r+1](op) = hash(h[r](op), h[r] of each operand's definition in order,
//                     sum over uses of the results: hash(h[r](user), operand))
//
// Equal hashes are only a guess: users compare with `areAlike`.
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

  /// h[0], and h[3] below.
  uint64_t getOwnHash(OpId op) const { return own[op]; }
  uint64_t getFarHash(OpId op) const { return far[op]; }

private:
  using Hashes = IdVector<OpId, uint64_t>;
  /// The number of an element type with a shape.
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
  /// A hash of the facts about a cell beyond its type; 0 if there are none.
  IdVector<CellId, uint64_t> marks;
  IdVector<CellId, TypeId> types;
  IdVector<TypeId, uint64_t> typeHashes;
  Hashes own, far;
};

} // namespace partita::analysis

#endif
