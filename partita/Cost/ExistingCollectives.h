//===- ExistingCollectives.h - collectives that the program has already ---===//
//
// What a program says between devices itself: in the bodies of its manual
// computations (`shard_map`), and outside of them. Lowering keeps them as they
// are, so they cost the same in every plan; they are counted and priced beside
// those that the plan brings. Lower/FindCollectives.h finds them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXISTINGCOLLECTIVES_H
#define PARTITA_COST_EXISTINGCOLLECTIVES_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// `size` positions of a mesh axis, of whose majors there are `preSize`: `model:(2)4`.
struct MeshPart {
  size_t axis = 0;
  int64_t preSize = 1;
  int64_t size = 1;
};

struct ExistingCollective {
  /// The op of the flat program that it is, or whose body it stands in.
  OpId op;
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// The parts of the mesh in which the devices of a group differ.
  llvm::SmallVector<MeshPart, 2> parts;
  /// How often it runs each time the op does: the trips of the loops in the body.
  int64_t times = 1;
  /// Each time.
  int64_t payloadBytes = 0, sentBytes = 0;
  /// Of a permute: who sends, and to whom.
  struct Pair {
    int64_t source, target;
  };
  llvm::SmallVector<Pair, 0> pairs;

  /// `model`, `model:(2)4`.
  std::vector<std::string> getAxes(const Mesh &mesh) const;
  /// The levels of the machine that it runs over.
  LevelParts place(const Placement &placement) const;
};

/// Of one execution.
CollectivePrice priceExistingCollective(const CostModel &model, const ExistingCollective &collective);

} // namespace partita::cost

#endif
