//===- LoopRotation.h - gathers that a loop makes an iteration ahead ------===//
//
// XLA:GPU runs the gathers of a loop's iteration beside the compute of the same
// iteration, so the first batch of them has nothing to hide behind. A rotated
// gather is that of the next iteration. It starts when the iteration begins, and
// has until its end; the gathered value is carried, and the first one is gathered
// in front of the loop (Lower/LoopRotation.h).
//
// A gather can be rotated if what it gathers is known as soon as an iteration
// begins: slices of stacks that the loop does not change, at indices that are
// counted. Only ops that move or convert may be between.
//
// A plan says which of its gathers are rotated. Everything else is as without:
// the same assignment, the same reshards.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_LOOPROTATION_H
#define PARTITA_COST_LOOPROTATION_H

#include "partita/Cost/ProductPieces.h"
#include "partita/Cost/Rooms.h"
#include "partita/Schedule/RotatedCollectives.h"

#include <set>

namespace partita::cost {

/// Whether the reshard is a gather of a loop's body that can be rotated.
bool mayRotate(const Assignment &assignment, const ReshardPlanner &planner, const Reshards &reshards, ReshardId id);

/// The entry of the first value that a loop carries; the loop waits for it.
OpId findLoopEntry(const Topology &topology, RegionId body);

/// As with what runs in pieces, and once more each time that the loop around a rotated gather runs.
std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards, const ProductPieces &pieces,
                                              const std::set<ReshardId> &rotated);

/// How plan files name it.
RotatedCollective describeRotated(const Reshard &reshard, const Graph &graph, const CellNames &names);

/// The reshards that a plan names: gathers, and reductions (CarriedReductions.h). An error if the plan has no such
/// collective, or one that runs in pieces.
Result<std::set<ReshardId>> bindRotated(llvm::ArrayRef<RotatedCollective> named, const Assignment &assignment,
                                        const ReshardPlanner &planner, const Reshards &reshards, const CellNames &names,
                                        const ProductPieces &pieces);

} // namespace partita::cost

#endif
