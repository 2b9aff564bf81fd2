//===- Seeds.h - what experts would write, from structure -----------------===//
//
// Strategies that are known to be good, put together from moves by what these
// split when they are made alone (MoveReach), never by names, and evaluated
// before anything else. An axis has one of these roles:
//
//   BP      the tiles of inputs, and of state such as caches, that split most
//           of the work without parameters: the batch; if the best alone leaves
//           work whole, also as BP* with further tiles for that
//   CP      another dim of the same input, or the side of a conflict: the sequence
//   MP      tiles of parameters that stay between the blocks: a chain of
//           contractions whose first gives the dim and whose last sums it up, so
//           that the sum which blocks come back to stays whole (Megatron). Chains
//           that split most work first, those that overlap with an earlier one left out
//   VOCAB   the same through a table that is looked up in
//   SEQ     behind MP, that sum along a dim that no parameter has
//   EMB     tiles of parameters that split that sum
//   EP      tiles of parameters or state that products have as a batch, cut at
//           reshapes: experts, caches
//
// and for optimizer state and parameters Z1, Z2, Z3, or Z3* with small parameters
// too, over the axes of data or over all; with GRAD, gradients that loops keep are
// scattered in each iteration. Combinations over the axes, the usual ones first.
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

/// Builds and evaluates at most `maxSeeds` of them; different states only, in the order in which they were built.
std::vector<Seed> evaluateSeeds(StateEvaluator &evaluator, const MoveTable &table, size_t maxSeeds);

/// The best 16 of them, the best first; of equals, by name.
std::vector<Seed> listBestSeeds(std::vector<Seed> seeds);

} // namespace partita::search

#endif
