//===- RandomRotation.h - random collectives in other iterations ----------===//

#ifndef PARTITA_FUZZ_RANDOMROTATION_H
#define PARTITA_FUZZ_RANDOMROTATION_H

#include "partita/Cost/LoopRotation.h"
#include "partita/Fuzz/Rooms.h"

#include <map>
#include <string>

namespace partita::fuzz {

/// For every other case, most of the gathers and reductions that can be rotated and do not run in pieces. The choice
/// has random numbers of its own, so that other cases do not depend on it.
std::set<ReshardId> drawRotated(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                                const Reshards &reshards, const ProductPieces &pieces);

/// Adds how many there are, and how many of them are in loops inside of loops or branches.
void countRotated(const std::set<ReshardId> &rotated, const Graph &graph, const Reshards &reshards,
                  std::map<std::string, int64_t> &counts);

} // namespace partita::fuzz

#endif
