//===- Reshards.h - all reshards of a program -----------------------------===//
//
// A value has the sharding that its definition gives, then that of its cell, if
// the cell is pinned, then at each use the sharding that the use requires.
// Where these differ, there is a reshard.
//
//   pinned cell       one reshard after the definition
//   partial sum       one reduction after the definition for all uses that require
//                     it reduced (ReducedSharding.h)
//   use               one reshard for each group of uses and sharding they require;
//                     right before the first use of the group, or after the
//                     definition, for all groups, if it only slices
//
// A group is the set of uses in one region and phase. So a parameter that is
// gathered for the forward pass is gathered again for the backward pass, and
// one that a loop uses is gathered inside the loop. Phases share reshards that
// do not grow the value. The plan may join uses of one region, or separate them
// (Assignment::groupUses).
//
// For every use, `uses` names the reshard whose result it takes; two uses share
// a reshard if they name the same. Lowering emits exactly these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDS_H
#define PARTITA_COST_RESHARDS_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

#include <tuple>

namespace partita::cost {

using ReshardId = Id<struct ReshardTag>;

enum class ReshardPosition : uint8_t {
  /// After `op`. If there is no op: at the entry of the program for an argument, after the loop for the final value of
  /// a carried value, after the branches for their result.
  AfterDefinition,
  /// Before `op`, the first of the group.
  BeforeUse,
};

struct Reshard {
  CellId cell;
  /// The reshard whose result it starts from; if invalid, it starts from the definition. (The definition of a carried
  /// value or branch result is the cell itself: its identities have been resharded to the cell's sharding.)
  ReshardId source;
  ReshardPlanId plan;
  ReshardPosition position = ReshardPosition::BeforeUse;
  OpId op;
  Phase phase = Phase::Forward;
  /// The region that contains it.
  RegionId region;
  bool operator==(const Reshard &) const = default;
};

class Reshards {
public:
  /// In program order, those at arguments, loops and branches first. A source comes before the reshards that start from
  /// it.
  IdVector<ReshardId, Reshard> list;
  /// For each use, the reshard whose result it takes; if invalid, it takes the value as it is defined.
  IdVector<UseId, ReshardId> uses;
  /// Indexed as Graph::definitions: the reshard from an op's result to the sharding of its cell; often none. Its result
  /// is what is passed to the loop, yielded or returned.
  std::vector<ReshardId> definitions;

  size_t size() const { return list.size(); }
  const Reshard &operator[](ReshardId id) const { return list[id]; }

  IdRange<ReshardId> getBefore(OpId op) const { return getRange(1 + 2 * op.get()); }
  IdRange<ReshardId> getAfter(OpId op) const { return getRange(2 + 2 * op.get()); }
  /// The reshards of an argument at the entry, of a carried value after its loop, or of a branch result.
  IdRange<ReshardId> getAfter(CellId boundary) const;
  ReshardId getDefinition(const Graph &graph, OpId op, uint32_t result) const {
    return definitions[graph.ops[op].firstDefinition + result];
  }

private:
  friend class ReshardBuilder;
  friend class ReshardUnfolder;
  IdRange<ReshardId> getRange(uint32_t key) const { return {firsts[key], firsts[key + 1]}; }
  void sort(size_t numOps);

  /// Where the reshards of each position begin: at boundary values, then before and after each op.
  std::vector<uint32_t> firsts;
};

/// All reshards of the program under an assignment. Linear in the program.
Reshards buildReshards(const Assignment &assignment, ReshardPlanner &planner);

/// What identifies a reshard of an assignment: its cell, its op and its plan.
using ReshardKey = std::tuple<CellId, OpId, ReshardPlanId>;

inline constexpr uint32_t noReshard = UINT32_MAX;

/// For each reshard its number in `keys`, the last of several; noReshard if it is not there.
IdVector<ReshardId, uint32_t> findReshards(const Reshards &reshards, llvm::ArrayRef<ReshardKey> keys);

/// How often a collective runs.
struct CollectiveCount {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<AxisId, 2> axes;
  /// Each counts as often as its region runs; once where that is unknown.
  int64_t count = 0;
  /// The payloads, and the bytes that a device sends.
  int64_t payloadBytes = 0;
  int64_t sentBytes = 0;
  bool operator==(const CollectiveCount &) const = default;
};

/// Those of reshards and those that ops run by themselves (Exchanges.h). By kind and axes, in that order, without
/// slices, which send nothing.
std::vector<CollectiveCount> countCollectives(const Assignment &assignment, const ReshardPlanner &planner,
                                              const Reshards &reshards);

} // namespace partita::cost

#endif
