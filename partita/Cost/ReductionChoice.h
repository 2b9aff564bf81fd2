//===- ReductionChoice.h - collectives of a plan as faster programs -------===//
//
// On a machine with levels, a collective over several of them may be faster as
// steps on single levels (Machine/Reduce). For each class of a plan's
// collectives (kind, axes, size) the fastest program is looked for; neighboring
// sizes with one program are one entry. Only programs count that leave the
// pieces in the order that the plan needs.
//
// The plan is then built again with these programs, since an axis that lies on
// several levels has to be split there. They are taken if the step becomes faster
// by 1%.
//
// A gather over an axis of several levels should cross the slow one first, which
// is its minor part then. So axes are also turned: data=nvlink+node in place of
// data=node+nvlink, if the plan may lie anywhere.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_REDUCTIONCHOICE_H
#define PARTITA_COST_REDUCTIONCHOICE_H

#include "partita/Cost/Price.h"

namespace partita::cost {

/// The programs that are faster than the plan's collectives, by their prices; none if all of them together would not
/// save 1% of the step.
std::vector<CollectiveProgram> listFasterPrograms(const Price &price);

/// A plan with reductions, and its price where it lies.
struct ReducedPlan {
  PlanPtr plan;
  PricePtr price;
};

/// How reductions are chosen.
struct ReductionSetting {
  /// Whether axes may be turned.
  bool mayTurn = false;
  StageClock &clock;
  AfterTactic afterTactic = nullptr;
};

/// The plan of `price`, which has a schedule and no reductions, with the programs of listFasterPrograms; nothing if it
/// is not faster by 1%, or if it would no longer fit.
std::optional<ReducedPlan> chooseReductions(const Price &price, const ReductionSetting &setting);

} // namespace partita::cost

#endif
