//===- RandomPrograms.h - collectives of a random plan in steps -----------===//
//
// Draws for each list of two or three axes a program of every collective over
// them (Machine/Reduce), so that lowering, the static check and the comparison of
// results see plans with reductions.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_FUZZ_RANDOMPROGRAMS_H
#define PARTITA_FUZZ_RANDOMPROGRAMS_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Fuzz/Rooms.h"

namespace partita::fuzz {

std::vector<StepProgram> drawPrograms(const Axes &axes, uint64_t seed);

/// How many reshards take more steps than without programs.
int64_t countInSteps(const ReshardPlanner &planner);

} // namespace partita::fuzz

#endif
