//===- ReshardProblem.h - the states that a reshard search visits ---------===//
//
// Only axes that differ between source and target take part; the common first
// axes of a dim stay where they are. A state holds the location of each of at
// most six axes and fits in one word.
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

  bool isFree(unsigned axis) const { return getAxisLocation(axis) == freeLocation; }
  bool isPartial(unsigned axis) const { return getAxisLocation(axis) == partialLocation; }
  bool isLocated(unsigned axis) const { return getAxisLocation(axis) < partialLocation; }
  unsigned getDim(unsigned axis) const { return getAxisLocation(axis) / 8; }
  unsigned getPosition(unsigned axis) const { return getAxisLocation(axis) % 8; }
  bool isOn(unsigned axis, unsigned dim) const { return isLocated(axis) && getDim(axis) == dim; }

  bool hasSameLocation(unsigned axis, ReshardState other) const {
    return getAxisLocation(axis) == other.getAxisLocation(axis);
  }

  void setFree(unsigned axis) { setLocation(axis, freeLocation); }
  void setPartial(unsigned axis) { setLocation(axis, partialLocation); }
  void place(unsigned axis, unsigned dim, unsigned position) { setLocation(axis, dim * 8 + position); }

  uint64_t getCode() const { return code; }
  bool operator==(const ReshardState &) const = default;

private:
  static constexpr unsigned freeLocation = 0xFF, partialLocation = 0xFE;
  unsigned getAxisLocation(unsigned axis) const { return code >> (axis * 8) & 0xFF; }
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
  /// The sizes of the dims, and the bits, of a piece that no participating axis splits.
  llvm::SmallVector<int64_t, 8> dimSizes;
  int64_t bits = 0;
  /// The axes that stay, for every dim of the tensor.
  Sharding fixed;
  ReshardState from, to;

  unsigned size() const { return static_cast<unsigned>(axes.size()); }
  /// The number of axes on a dim; the number of parts into which they split it.
  unsigned countAxes(ReshardState state, unsigned dim) const;
  int64_t countParts(ReshardState state, unsigned dim) const;
  int64_t getBits(ReshardState state) const;
  /// The number of devices among which a move exchanges pieces.
  int64_t getGroupSize(ReshardState before, const ReshardMove &move) const;
  Sharding getSharding(ReshardState state) const;
};

/// Returns false if the problem has too many axes or dims to be searched.
bool buildReshardProblem(const Axes &axes, const ReshardPlan &plan, ReshardProblem &problem);

/// Calls `visit` with each single step from `state`, in a fixed order, permutes last if they are wanted: there may be
/// many.
void forEachMove(const ReshardProblem &problem, ReshardState state, bool withPermutes,
                 llvm::function_ref<void(const ReshardMove &)> visit);

} // namespace partita::cost

#endif
