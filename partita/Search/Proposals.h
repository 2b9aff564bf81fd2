//===- Proposals.h - builds the moves that a search may make --------------===//
//
// Moves are built, and numbered, in this order:
//
//   tiles       of single groups along each dim that divides, largest groups first
//   sides, cuts for the conflicts and links that each tile meets when applied alone
//   together    all parameters, all optimizer state
//   gradients   that loops keep
//   by size     what one line says of inputs and of all other arguments, whatever
//               their roles (SizeRoles.h)
//   local       factors of the largest contractions; shared or separate reshards
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PROPOSALS_H
#define PARTITA_SEARCH_PROPOSALS_H

#include "partita/Search/MoveRunner.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

struct ProposalOptions {
  /// Axes of the mesh, or sub-axes, that moves may use; all if empty.
  std::vector<std::string> axes;
  /// The most tiles of single groups; those of the largest groups are kept. Inputs may have as many again.
  uint32_t maxTiles = 600;
  /// The most moves with sides, and with cuts.
  uint32_t maxSides = 64, maxCuts = 64;
  /// The most ops whose factors, and groups of parameters whose reshards, get local moves; those with most work and
  /// bytes.
  uint32_t maxOps = 16, maxReshards = 12;
  /// The kind of each op: corresponding ops of repeated layers have the same kind and are decided together. Empty: each
  /// op alone.
  IdVector<OpId, uint32_t> opKinds;
};

/// All moves on a program with these groups. `base` is the assignment before the search; it is changed temporarily and
/// restored. Applies each move alone: conflicts that it meets give moves with sides, links give moves with cuts. Adds
/// the outcomes to `memory`, if it is not null.
MoveTable buildMoves(const ArgumentGroups &groups, Assignment &base, const IdVector<DimId, uint8_t> &steppedDims,
                     const ProposalOptions &options, MoveMemory *memory = nullptr);

} // namespace partita::search

#endif
