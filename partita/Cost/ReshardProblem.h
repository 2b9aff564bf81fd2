//===- ReshardProblem.h - what a reshard search works on ------------------===//
//
// Only the axes that differ between source and target take part; the first axes
// of a dim that both have stay where they are. A state says for each of at most
// six axes where it stands and fits in one word.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDPROBLEM_H
#define PARTITA_COST_RESHARDPROBLEM_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::cost {

/// For each axis: free, partial, or its dim and position there (0 is the major one).
class ReshardState {
public:
  static constexpr unsigned maxAxes = 6;
  static constexpr unsigned maxDims = 30;

  bool isFree(unsigned axis) const { return getBoundaryNode(axis) == freePlace; }
  bool isPartial(unsigned axis) const { return getBoundaryNode(axis) == partialPlace; }
  bool isPlaced(unsigned axis) const { return getBoundaryNode(axis) < partialPlace; }
  unsigned getDim(unsigned axis) const { return getBoundaryNode(axis) / 8; }
  unsigned getPosition(unsigned axis) const { return getBoundaryNode(axis) % 8; }
  bool isOn(unsigned axis, unsigned dim) const { return isPlaced(axis) && getDim(axis) == dim; }

  bool hasSamePlace(unsigned axis, ReshardState other) const {
    return getBoundaryNode(axis) == other.getBoundaryNode(axis);
  }

  void setFree(unsigned axis) { setLocation(axis, freePlace); }
  void setPartial(unsigned axis) { setLocation(axis, partialPlace); }
  void place(unsigned axis, unsigned dim, unsigned position) { setLocation(axis, dim * 8 + position); }

  uint64_t getCode() const { return code; }
  bool operator==(const ReshardState &) const = default;

private:
  static constexpr unsigned freePlace = 0xFF, partialPlace = 0xFE;
  unsigned getBoundaryNode(unsigned axis) const { return code >> (axis * 8) & 0xFF; }
  void setLocation(unsigned axis, unsigned place) {
    code = (code & ~(uint64_t(0xFF) << (axis * 8))) | uint64_t(place) << (axis * 8);
  }
  uint64_t code = 0;
};

struct ReshardMove {
  CollectiveKind kind = CollectiveKind::AllSlice;
  uint8_t dim = 0, toDim = 0;
  ReshardState after;
};

/// Axes and dims are numbered among those that take part.
struct ReshardProblem {
  llvm::SmallVector<AxisId, 8> axes;
  llvm::SmallVector<int64_t, 8> axisSizes;
  /// Whether the target is split over the axis.
  llvm::SmallVector<bool, 8> wanted;
  llvm::SmallVector<uint32_t, 8> dims;
  /// Sizes of the dims on a device that has all of each axis that takes part; likewise its bits.
  llvm::SmallVector<int64_t, 8> dimSizes;
  int64_t bits = 0;
  /// Axes that stay, of every dim of the tensor.
  Sharding fixed;
  ReshardState from, to;

  unsigned size() const { return static_cast<unsigned>(axes.size()); }
  /// Number of axes on a dim; how many parts they make of it.
  unsigned countAxes(ReshardState state, unsigned dim) const;
  int64_t countParts(ReshardState state, unsigned dim) const;
  int64_t getBits(ReshardState state) const;
  int64_t getSentBits(ReshardState before, const ReshardMove &move) const;
  Sharding getSharding(ReshardState state) const;
};

/// Gives false if it is too large to search: too many axes or dims.
bool buildReshardProblem(const Axes &axes, const ReshardPlan &plan, ReshardProblem &problem);

/// Calls `visit` with each single step from `state`, in a fixed order.
void forEachMove(const ReshardProblem &problem, ReshardState state,
                 llvm::function_ref<void(const ReshardMove &)> visit);

} // namespace partita::cost

#endif
