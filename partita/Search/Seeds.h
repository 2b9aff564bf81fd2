//===- Seeds.h - strategies of experts, found by structure ----------------===//
//
// Builds strategies that are known to be good from moves, by what these split
// when they are applied alone (MoveReach), never by names. They are evaluated
// before anything else. An axis has one of these roles:
//
//   BP      the tiles of inputs, and of state such as caches, that split most
//           of the work without parameters: the batch; if the best alone leaves
//           work whole, also as BP* with further tiles for that work
//   CP      another dim of the same input, or the side of a conflict: the sequence
//   MP      tiles of parameters inside blocks: a sequence of contractions whose
//           first gives the dim and whose last sums over it, so that the residual
//           sum stays whole (Megatron). Those that split most work first, without
//           those that overlap with an earlier one
//   VOCAB   the same through a lookup table
//   SEQ     after MP, the residual sum along a dim that no parameter has
//   EMB     tiles of parameters that split the residual sum
//   EP      tiles of parameters or state that contractions have as a batch dim, cut
//           at reshapes: experts, caches
//
// and for optimizer state and parameters Z1, Z2, Z3, or Z3* including small
// parameters, over the data axes or over all; with GRAD, gradients that loops
// keep are scattered in each iteration. Seeds are combinations of roles over
// the axes, the usual ones first.
//
// What anybody writes in one line comes from sizes alone (SizeRoles.h), so that
// no plan that is found is worse, whatever the analysis makes of a program:
//
//   DP      inputs along the dim that they share;  SP  along the next one
//   FSDP    all other arguments along the first dim that divides
//   TP      all other arguments along their largest dim
//   OS1     arguments that no product takes;       OS2  the others are kept whole
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEEDS_H
#define PARTITA_SEARCH_SEEDS_H

#include "partita/Search/Move.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/StateEvaluator.h"

namespace partita::search {

struct Seed {
  /// `BP(data)+MP(model)+Z3(data)`.
  std::string name;
  Moves moves;
  Evaluated evaluated;
};

/// Builds and evaluates at most `maxSeeds` seeds, and those of one line; distinct states only, in the order in which
/// they were built.
std::vector<Seed> evaluateSeeds(StateEvaluator &evaluator, const MoveTable &table, size_t maxSeeds);

/// The best 16 seeds, the best first; equal ones by name.
std::vector<Seed> listBestSeeds(std::vector<Seed> seeds);

} // namespace partita::search

#endif
