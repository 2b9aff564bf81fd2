//===- ReshardPlan.h - collectives from one sharding to another -----------===//
//
// The cheapest sequence of collectives from one sharding of a tensor, possibly
// with partial sums, to another. Cost and lowering share it, so lowering emits
// what was priced. It minimizes, in this order,
//
//   bits that a device sends         computeSentBits, summed
//   bits of temporaries              neither source nor target; at most the operand
//                                    and result of one step
//   steps
//
// Of equal plans it is the first in a fixed order. It never depends on the
// machine, but a planner may be given programs, by which it then replaces
// collectives of some kinds and sizes (StepProgram).
//
//   [{x}, {}] to [{}, {x}]                 all_to_all over x
//   [{x, y}] to [{y, x}]                   collective_permute
//   [{}] partial(add) {x} to [{x}]         reduce_scatter over x
//   [{x, y}] to [{y}]                      collective_permute, all_gather over x
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDPLAN_H
#define PARTITA_COST_RESHARDPLAN_H

#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Sharding.h"

#include <deque>
#include <memory>
#include <unordered_map>

namespace partita::cost {

enum class CollectiveKind : uint8_t { AllSlice, AllGather, AllToAll, CollectivePermute, AllReduce, ReduceScatter };

/// `all_gather`.
llvm::StringRef getName(CollectiveKind kind);

struct ReshardStep {
  CollectiveKind kind = CollectiveKind::AllSlice;
  /// Major to minor. The group of a device are the devices that differ from it along these axes only, in this order.
  /// For a permute, the axes that move, in ascending order.
  llvm::SmallVector<AxisId, 2> axes;
  /// all_slice, reduce_scatter: the dim to which `axes` are appended. all_gather, all_to_all: the dim that loses them.
  uint32_t dim = 0;
  /// all_to_all: the dim to which `axes` are appended.
  uint32_t toDim = 0;
  PartialSharding after;
  /// The bytes of a device's operand; for an all_gather, of its result; for an all_slice, which is no collective, 0.
  int64_t payloadBytes = 0;
  /// The bits that a device sends in the best algorithm that uses all links equally.
  int64_t sentBits = 0;
  bool operator==(const ReshardStep &) const = default;
};

struct ReshardPlan {
  llvm::SmallVector<int64_t> shape;
  uint32_t elementBits = 0;
  PartialSharding from, to;
  std::vector<ReshardStep> steps;
  int64_t sentBits = 0;
  /// The largest size of temporaries alive at once, beside source and target.
  int64_t peakTemporaryBits = 0;

  int64_t getSentBytes() const { return (sentBits + 7) / 8; }
  /// Only all_slice steps, or none: nothing is sent.
  bool isLocal() const {
    return llvm::all_of(steps, [](const ReshardStep &step) { return step.kind == CollectiveKind::AllSlice; });
  }
  bool operator==(const ReshardPlan &) const = default;
};

/// In place of collectives of this kind over these axes, whose payload is within the limits, several steps (of
/// all_slice, all_gather, all_reduce, reduce_scatter). Order counts, except in the axes of an all_reduce.
struct StepProgram {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<AxisId, 2> axes;
  int64_t leastBytes = 0, mostBytes = INT64_MAX;
  struct Step {
    CollectiveKind kind = CollectiveKind::AllReduce;
    llvm::SmallVector<AxisId, 2> axes;
  };
  std::vector<Step> steps;
};

using ReshardPlanId = Id<struct ReshardPlanTag>;

class ReshardPaths;

/// Finds plans and caches them.
class ReshardPlanner {
public:
  explicit ReshardPlanner(const Axes &axes);
  ReshardPlanner(const ReshardPlanner &other);
  ReshardPlanner(ReshardPlanner &&) noexcept;
  ReshardPlanner &operator=(ReshardPlanner &&) noexcept;
  ~ReshardPlanner();

  const Axes &getAxes() const { return *axes; }

  /// Replaces collectives in all plans. Called before any plan is found.
  void setPrograms(std::vector<StepProgram> given) {
    assert(plans.empty() && "plans that were found without these programs");
    programs = std::move(given);
  }

  /// Both shardings divide `shape`. Axes that are partial in `to` are partial in `from`, with the same combiner.
  ReshardPlanId find(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
                     const PartialSharding &to);
  const ReshardPlan &plan(llvm::ArrayRef<int64_t> shape, uint32_t elementBits, const PartialSharding &from,
                          const PartialSharding &to) {
    return plans[find(shape, elementBits, from, to).get()];
  }
  const ReshardPlan &operator[](ReshardPlanId id) const { return plans[id.get()]; }
  size_t size() const { return plans.size(); }

private:
  const Axes *axes;
  std::vector<StepProgram> programs;
  /// A deque, so that references to plans stay valid.
  std::deque<ReshardPlan> plans;
  std::unordered_multimap<size_t, ReshardPlanId> index;
  std::unique_ptr<ReshardPaths> paths;
};

/// Bits of a device's piece.
int64_t computeLocalBits(const Axes &axes, llvm::ArrayRef<int64_t> shape, uint32_t elementBits,
                         const Sharding &sharding);

/// `all_to_all {x} 0 -> 1; all_gather {y} 1`.
std::string printSteps(const Axes &axes, const ReshardPlan &plan);

} // namespace partita::cost

#endif
