//===- StepPrograms.h - runs collectives of reshards in several steps -----===//
//
// A program takes the place of a step of a reshard plan if it leads to the same
// sharding, by steps that the plan's own calculus of shardings allows:
//
//   [{}] partial(add) {x, y} to [{}]    all_reduce over x, y, or
//                                       reduce_scatter over y, all_reduce over x, all_gather over y
//
// An all_reduce scatters along the first dim that divides; the others along
// their own. Where no dim divides, the collective stays as it is. So price, local
// program and checks see the steps alone.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_STEPPROGRAMS_H
#define PARTITA_COST_STEPPROGRAMS_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Schedule/CollectivePrograms.h"

namespace partita::cost {

/// The programs with the axes of a plan. An error if an axis is not one of the mesh, or if the steps of a program are
/// not the collective that it says.
Result<std::vector<StepProgram>> bindPrograms(llvm::ArrayRef<CollectiveProgram> programs, const Axes &axes);

/// The plan with its collectives replaced by those of `programs` that fit; of several, the first.
ReshardPlan runPrograms(const Axes &axes, ReshardPlan plan, llvm::ArrayRef<StepProgram> programs);

} // namespace partita::cost

#endif
