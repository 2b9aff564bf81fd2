//===- RandomRotation.h - random collectives in other iterations ----------===//

#ifndef PARTITA_FUZZ_RANDOMROTATION_H
#define PARTITA_FUZZ_RANDOMROTATION_H

#include "partita/Cost/LoopRotation.h"
#include "partita/Fuzz/RandomActions.h"
#include "partita/Fuzz/Rooms.h"

#include <map>
#include <string>

namespace partita::fuzz {

/// Whether the program of the case has loops that stack gradients or add them up: one in twelve. The choice has random
/// numbers of its own, so that other cases do not depend on it.
bool drawsGradients(uint64_t seed);

/// Tactics that split what loops reduce, so that devices have to add it up, and some of what the program gives.
std::vector<DrawnTactic> drawGradientTactics(uint64_t seed, const Mesh &mesh, const Graph &graph);

/// For every other case, and for all of those programs, most of the gathers and reductions that can be rotated and do
/// not run in pieces. The choice has random numbers of its own, so that other cases do not depend on it.
std::set<ReshardId> drawRotated(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                                const Reshards &reshards, const ProductPieces &pieces);

/// Adds how many there are: by where they stand, by their elements, and by whether their loop has others.
void countRotated(const std::set<ReshardId> &rotated, const Graph &graph, const Reshards &reshards,
                  std::map<std::string, int64_t> &counts);

} // namespace partita::fuzz

#endif
