//===- CarriedReductions.h - reductions a loop makes an iteration later ---===//
//
// If all reductions of a layer's gradients are one batch, it waits for the last
// gradient and ends the iteration with nothing beside it (LoopReductions.h). A
// rotated loop carries the unreduced gradients to the next iteration and reduces
// them there, from its beginning on (Lower/CarriedReductions.h); the last ones are
// reduced behind the loop, and the first iteration reduces zeros.
//
// A reduction can be carried if its result goes through linear ops into stacks that
// start as zeros, or is added to accumulators, and if nothing else in the loop
// sees these: so whatever is added or written may come an iteration later.
//
// Something has to end it: XLA's scheduler would start the gathers of the next
// iteration first, or put the reduction off. So the iteration waits for it in its
// middle, a product with as much work before it as behind it, and gathers for the
// next iteration start there.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_CARRIEDREDUCTIONS_H
#define PARTITA_COST_CARRIEDREDUCTIONS_H

#include "partita/Cost/Reshards.h"
#include "partita/Cost/Rooms.h"

#include <map>

namespace partita::cost {

/// Whether a value is small, as a counter or an index is: its next value is there as soon as an iteration begins, and a
/// loop may carry it besides.
bool isSmall(const Graph &graph, CellId cell);

/// Whether the plan sums up partial results, and does nothing else.
bool onlyReduces(const ReshardPlan &plan);

/// Whether the reshard is a reduction in a loop's body that can be made an iteration later, if the body has a middle.
bool mayCarry(const Assignment &assignment, const ReshardPlanner &planner, const Reshards &reshards, ReshardId id);

/// By loop, found when it is asked for.
class LoopMiddles {
public:
  explicit LoopMiddles(const Topology &topology) : topology(topology) {}

  /// The product of the loop's body that has the most work both before it and behind it: of what it depends on, and of
  /// what depends on it, within an iteration. Of many products, some are looked at. Invalid if there is none.
  OpId find(RegionId body);

private:
  const Topology &topology;
  std::map<RegionId, OpId> known;
};

} // namespace partita::cost

#endif
