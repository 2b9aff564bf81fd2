//===- RandomRotation.cpp - random gathers an iteration ahead -------------===//

#include "partita/Fuzz/RandomRotation.h"

#include "partita/Fuzz/RandomChoice.h"

namespace partita::fuzz {

std::set<ReshardId> drawRotated(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                                const Reshards &reshards, const ProductPieces &pieces) {
  RandomChoice random(seed ^ 0x726f74617465);
  std::set<ReshardId> drawn;
  if (!random.chance(50))
    return drawn;
  for (ReshardId id : idRange<ReshardId>(reshards.size()))
    if (!pieces.find(id) && mayRotate(assignment, planner, reshards, id) && random.chance(80))
      drawn.insert(id);
  return drawn;
}

void countRotated(const std::set<ReshardId> &rotated, const Graph &graph, const Reshards &reshards,
                  std::map<std::string, int64_t> &counts) {
  for (ReshardId id : rotated) {
    ++counts["rotated gathers"];
    counts["rotated gathers in inner loops"] += graph.regions[reshards[id].region].parent.get() != 0;
  }
}

} // namespace partita::fuzz
