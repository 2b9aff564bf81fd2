//===- LoopReductions.h - reductions that end an iteration ----------------===//
//
// XLA:GPU joins the reductions of one kind in a loop's body, as long as their
// results take at most so many bytes (Machine/CollectiveOrder.h). If all gradients
// of a layer are one batch, it begins behind the last of them, and the iteration
// ends with nothing beside it. Of two batches each has the other one's products
// beside it.
//
// Whether they are one batch is asked of the program, not of a plan: each gradient
// counts as the piece that is left of it if all devices share it. A plan that keeps
// larger pieces has more batches, but also sends more; if that made its reductions
// hidden, to leave a matrix whole would make a step faster.
//
// In a program with a join (Overlap.h) XLA moves reduce-scatters of the program's own
// loops to the next iteration, where the layer's compute is beside them. All-reduces
// stay, and so does everything in loops inside of loops.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_LOOPREDUCTIONS_H
#define PARTITA_COST_LOOPREDUCTIONS_H

#include "partita/Analysis/Multiplicity.h"
#include "partita/Cost/Overlap.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Cost/TimeSlots.h"

namespace partita::cost {

class LoopReductions {
public:
  /// `combineBytes` are those of the platform; if they are 0, nothing is joined.
  LoopReductions(const Topology &topology, const FusionPlan &fusion, const Overlap &overlap, const TimeSlots &slots,
                 const Multiplicity &multiplicity, int64_t numDevices, int64_t combineBytes);

  /// Whether each iteration waits, at its end, for a late reduction in the region that takes these steps.
  bool endsIteration(RegionId region, const ReshardPlan &plan) const;
  /// Whether that holds for every plan.
  bool alwaysEndsIteration(RegionId region) const { return waits[region] == Waits::All; }

private:
  /// Which late reductions an iteration waits for.
  enum class Waits : uint8_t { None, Whole, All };

  IdVector<RegionId, Waits> waits;
};

} // namespace partita::cost

#endif
