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
// An all_to_all runs over the minor axes first:
//
//   [{x, y}, {}] to [{}, {x, y}]    all_to_all over y, all_to_all over x
//
// Its first step sends parts that are not neighbors: of the pieces 0 to 3 of the
// target's dim, those for y = 0 are 0 and 2. So no sharding says what devices
// hold in between. The plan has that of the right size, [{x}, {y}], and the next
// step puts x in front of y. Lowering emits such steps together.
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

/// How many steps from `number` on are together one all_to_all; 1 for any other step.
size_t countExchangeSteps(const ReshardPlan &plan, size_t number);

} // namespace partita::cost

#endif
