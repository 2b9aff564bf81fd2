//===- RandomRotation.cpp - random collectives in other iterations --------===//

#include "partita/Fuzz/RandomRotation.h"

#include "partita/Cost/CarriedReductions.h"
#include "partita/Fuzz/RandomChoice.h"

namespace partita::fuzz {

std::set<ReshardId> drawRotated(uint64_t seed, const Assignment &assignment, const ReshardPlanner &planner,
                                const Reshards &reshards, const ProductPieces &pieces) {
  RandomChoice random(seed ^ 0x726f74617465);
  std::set<ReshardId> drawn;
  if (!random.chance(50))
    return drawn;
  LoopMiddles middles(assignment.getTopology());
  auto isCarried = [&](ReshardId id) {
    return mayCarry(assignment, planner, reshards, id) && middles.find(reshards[id].region).isValid();
  };
  for (ReshardId id : idRange<ReshardId>(reshards.size()))
    if (!pieces.find(id) && (mayRotate(assignment, planner, reshards, id) || isCarried(id)) && random.chance(80))
      drawn.insert(id);
  return drawn;
}

void countRotated(const std::set<ReshardId> &rotated, const Graph &graph, const Reshards &reshards,
                  std::map<std::string, int64_t> &counts) {
  for (ReshardId id : rotated) {
    bool isGather = reshards[id].position == ReshardPosition::BeforeUse;
    std::string what = isGather ? "rotated gathers" : "rotated reductions";
    ++counts[what];
    counts[what + " in inner loops"] += graph.regions[reshards[id].region].parent.get() != 0;
  }
}

} // namespace partita::fuzz
