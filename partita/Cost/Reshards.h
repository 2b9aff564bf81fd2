//===- Reshards.h - all reshards of a program ----------------------------===//
//
// A value has the form that its definition gives, then that of its cell, if the
// cell is pinned, then at each use the form that the use needs. Where these
// differ stands a reshard.
//
//   pinned cell       one reshard behind the definition
//   partial sum       one reduction behind the definition for all uses that want
//                     it reduced (ReducedSharding.h)
//   use               one reshard for each group of uses and form they need;
//                     right before the first use of the group, or behind the
//                     definition, for all groups, if it only slices
//
// A group are the uses in one region and phase. So a parameter that is gathered
// for the forward pass is gathered again for the backward pass, and one that a
// loop uses is gathered in the loop. Phases share what does not grow. The plan may
// put uses of one region together, or apart from others (Assignment::groupUses).
//
// Every use says which reshard's result it takes; two uses share a reshard if
// they name the same. Lowering emits exactly these.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_COST_RESHARDS_H
#define PARTITA_COST_RESHARDS_H

#include "partita/Cost/ReshardPlan.h"
#include "partita/Cost/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::cost {

using ReshardId = Id<struct ReshardTag>;

enum class ReshardPosition : uint8_t {
  /// Behind `op`. If there is no op: at the entry of the program for an argument, behind the loop for what it leaves in
  /// a
  /// carried value, behind the branches for their result.
  AfterDefinition,
  /// Before `op`, the first of the group.
  BeforeUse,
};

struct Reshard {
  CellId cell;
  /// The reshard whose result it starts from; if there is none, what the definition gives. (The definition of a
  /// carried value or branch result is the cell itself: what its identities give has been brought to its form.)
  ReshardId source;
  ReshardPlanId plan;
  ReshardPosition position = ReshardPosition::BeforeUse;
  OpId op;
  Phase phase = Phase::Forward;
  /// The region that it stands in.
  RegionId region;
  bool operator==(const Reshard &) const = default;
};

class Reshards {
public:
  /// In program order, those at arguments, loops and branches first; a source stands before what starts from it.
  IdVector<ReshardId, Reshard> list;
  /// For each use the reshard whose result it takes; if there is none, it takes what the definition gives.
  IdVector<UseId, ReshardId> uses;
  /// As Graph::definitions: the reshard that brings what an op gives to the form of its cell; often none. What it
  /// gives is what is passed to the loop, yielded or returned.
  std::vector<ReshardId> definitions;

  size_t size() const { return list.size(); }
  const Reshard &operator[](ReshardId id) const { return list[id]; }

  IdRange<ReshardId> getBefore(OpId op) const { return getRange(1 + 2 * op.get()); }
  IdRange<ReshardId> getAfter(OpId op) const { return getRange(2 + 2 * op.get()); }
  /// Reshards at the entry, behind a loop or behind branches, of an argument, carried value or branch result.
  IdRange<ReshardId> getAfter(CellId place) const;
  ReshardId getDefinition(const Graph &graph, OpId op, uint32_t result) const {
    return definitions[graph.ops[op].firstDefinition + result];
  }

private:
  friend class ReshardBuilder;
  IdRange<ReshardId> getRange(uint32_t key) const { return {firsts[key], firsts[key + 1]}; }
  void sort(size_t numOps);

  /// Where the reshards of each position begin: at places, then before and behind each op.
  std::vector<uint32_t> firsts;
};

/// All reshards of the program under an assignment. Linear in the program.
Reshards buildReshards(const Assignment &assignment, ReshardPlanner &planner);

/// How often a collective runs.
struct CollectiveCount {
  CollectiveKind kind = CollectiveKind::AllReduce;
  llvm::SmallVector<AxisId, 2> axes;
  /// Each as often as its region runs; where that is unknown, once.
  int64_t count = 0;
  /// Payloads, and what a device sends.
  int64_t payloadBytes = 0;
  int64_t sentBytes = 0;
  bool operator==(const CollectiveCount &) const = default;
};

/// By kind and axes, in that order; slices, which send nothing, are left out.
std::vector<CollectiveCount> countCollectives(const Graph &graph, const ReshardPlanner &planner,
                                              const Reshards &reshards);

} // namespace partita::cost

#endif
