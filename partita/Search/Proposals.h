//===- Proposals.h - the moves that a search may make ---------------------===//
//
// Built in this order, which is that of their numbers:
//
//   tiles       of single groups along each dim that divides, largest groups first
//   sides, cuts what each tile meets when it is made alone
//   together    all parameters, all optimizer state
//   gradients   that loops keep
//   local       factors of the largest contractions; shared or separate reshards
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PROPOSALS_H
#define PARTITA_SEARCH_PROPOSALS_H

#include "partita/Search/MoveRunner.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct ProposalOptions {
  /// Axes of the mesh, or parts of them, that moves are about; all if empty.
  std::vector<std::string> axes;
  /// Tiles of single groups at most; those of the largest groups are kept.
  uint32_t maxTiles = 600;
  /// Moves with sides, and moves with cuts, at most.
  uint32_t maxSides = 64, maxCuts = 64;
  /// Ops whose factors, and groups of parameters whose reshards, may be decided alone; those with most work and bytes.
  uint32_t maxOps = 16, maxReshards = 12;
  /// Of each op the number of its kind: ops that layers have in common are decided together. Empty: each alone.
  IdVector<OpId, uint32_t> opKinds;
};

/// All moves on a program whose groups are known. `base` is the assignment before the search; it comes back as it was.
/// What a move meets is found out by making it alone: conflicts give moves with sides, links give moves with cuts.
/// `memory`, if it is there, is told what each one did.
MoveTable buildMoves(const ArgumentGroups &groups, Assignment &base, const IdVector<DimId, uint8_t> &steppedDims,
                     const ProposalOptions &options, MoveMemory *memory = nullptr);

} // namespace partita::search

#endif
