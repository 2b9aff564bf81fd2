//===- Placement.h - what runs before, in and behind the loop -------------===//
//
// Most programs need one loop over the microbatches: what needs nothing of it
// runs before, what nothing in it needs (clipping, the optimizer) runs behind. An
// op that is whole, needs a microbatch's values and is needed by others is a
// barrier, such as the number of tokens of a masked mean. Then there are several
// loops:
//
//   stage 0 | loop 1 | stage 1 | loop 2 | stage 2
//
// Units are placed as late as what needs them allows, so that the loop before a
// barrier holds only what the barrier needs. What several loops need is computed
// in each, unless that is costly: a matrix product or a layer loop. A costly unit
// runs in the first loop that needs it, and what later ones need of it is kept for
// the whole batch: batch statistics and contrastive losses run so. It saves no
// memory that such a program keeps for its backward pass anyway. With `passes`
// beyond 1 costly units may run in as many loops instead, and nothing is kept.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_TEMPORAL_PLACEMENT_H
#define PARTITA_TEMPORAL_PLACEMENT_H

#include "partita/Support/Error.h"
#include "partita/Temporal/Forms.h"
#include "partita/Temporal/Rooms.h"

#include <bitset>

namespace partita::temporal {

/// More loops than this are refused: each keeps values of the whole batch for the next, which takes more than the
/// pieces save. ResNet-50 has 98 of them with batch norm, and takes 1.2 x the memory and 1.8 x the time of the program
/// as it is.
inline constexpr int maxLoops = 8;

/// Numbers of loops, counted from 1.
using LoopSet = std::bitset<maxLoops + 1>;

struct UnitPlace {
  /// The stage in which the unit runs, whole; -1 if it runs in none.
  int stage = -1;
  LoopSet loops = {};

  bool isIn(int loop) const { return loops[static_cast<size_t>(loop)]; }
};

/// A value that leaves a loop.
struct LoopOutput {
  CellId cell;
  int loop = 0;
};

struct MicroPlacement {
  int numLoops = 0;
  /// For each unit.
  std::vector<UnitPlace> places;
  /// In program order.
  std::vector<LoopOutput> outputs;
};

/// Places all units. An error names the barrier that would need a costly loop of its own, or the op of a layer loop
/// that needs the whole batch. Ops that pass terms on and are better completed before are added to `forbidden`; there
/// is no placement then.
Result<std::optional<MicroPlacement>> placeUnits(const MicroProgram &program, const Units &units,
                                                 const Reached &reached, const Forms &forms, int64_t passes,
                                                 IdVector<OpId, uint8_t> &forbidden);

} // namespace partita::temporal

#endif
