//===- ExistingCollectives.h - collectives that the input has -------------===//
//
// Collectives that the program itself contains: in the bodies of its manual
// computations (`shard_map`), and outside of them. Lowering keeps them as they
// are, so they cost the same in every plan. They are counted and priced beside
// the collectives that the plan adds. Lower/FindCollectives.h finds them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_EXISTINGCOLLECTIVES_H
#define PARTITA_COST_EXISTINGCOLLECTIVES_H

#include "partita/Cost/CostModel.h"
#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

namespace partita::cost {

/// A sub-axis: `size` positions of a mesh axis below `preSize` major ones, as in `model:(2)4`.
struct MeshPart {
  size_t axis = 0;
  int64_t preSize = 1;
  int64_t size = 1;
};

struct ExistingCollective {
  /// The op of the flat program that it is, or whose body contains it.
  OpId op;
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// The sub-axes along which the devices of a group differ.
  llvm::SmallVector<MeshPart, 2> parts;
  /// How often it runs each time the op does: the trips of the loops in the body.
  int64_t times = 1;
  /// Per execution.
  int64_t payloadBytes = 0, sentBytes = 0;
  /// Of a permute: the devices that send and receive.
  struct Pair {
    int64_t source, target;
  };
  llvm::SmallVector<Pair, 0> pairs;

  /// `model`, `model:(2)4`.
  std::vector<std::string> getAxes(const Mesh &mesh) const;
  /// The levels of the machine that it runs over.
  LevelParts place(const Placement &placement) const;
};

/// The price of one execution.
CollectivePrice priceExistingCollective(const CostModel &model, const ExistingCollective &collective);

} // namespace partita::cost

#endif
