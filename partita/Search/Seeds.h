//===- Seeds.h - what experts would write, from structure -----------------===//
//
// Strategies that are known to be good, put together from moves by what the
// moves are, never by names, and evaluated first:
//
//   BP        the input's tile that makes the step shortest: the batch
//   MP        tiles of parameters along contraction chains, shortest first, until
//             no further parameters get split: Megatron
//   SEQ       tiles of inner cells behind them: the sequence between the blocks
//   Z1 Z2 Z3  optimizer state; the same with parameters whole; parameters
//   EP        tiles of parameters or state that products have as a batch, cut at
//             reshapes: experts, caches
//
// For every way to give the axes to data (BP, Z, EP) and to models (MP, SEQ), the
// combinations of these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_SEEDS_H
#define PARTITA_SEARCH_SEEDS_H

#include "partita/Search/Move.h"
#include "partita/Search/Oracle.h"

namespace partita {

struct Seed {
  /// `BP(data)+MP(model)+Z3(data)`.
  std::string name;
  Moves moves;
  Evaluated evaluated;
};

/// Builds and evaluates them; different states only, in the order in which they were built.
std::vector<Seed> evaluateSeeds(Oracle &oracle, const MoveTable &table);

} // namespace partita

#endif
