//===- BoundStates.h - the node states of an op and their costs -----------===//
//
//   c(op, state)   for an op that is its own kernel its time, with copies of operands
//                  that lie in another order (DimOrders.h); for others what they write
//                  and read outside of their kernels, and the launch
//
// Lists the states that divide, with minor factors split only after their
// majors. Other reasons that may forbid a state are ignored.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUNDSTATES_H
#define PARTITA_SEARCH_BOUND_BOUNDSTATES_H

#include "partita/Search/Bound/ShardingTable.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

/// For each axis the factor, sumFactor or noFactor.
using BoundState = llvm::SmallVector<uint8_t, 4>;

struct BoundStates {
  std::vector<BoundState> states;
  /// The sum over all executions.
  std::vector<int64_t> costs;
  /// There are too many states to list: one represents all, at no cost.
  bool isUnknown = false;
};

class StateEnumeration {
public:
  explicit StateEnumeration(const CostModel &model);

  static constexpr size_t maxStates = 2048;

  BoundStates list(OpId op);
  bool mayTakeSum(NodeId node) const { return sumCarriers[node] != 0; }

private:
  int64_t computeStateCost(OpId op) const;
  int64_t computeWritten(OpId op) const;
  int64_t computeCopied(OpId op) const;
  int64_t computeRead(UseId use) const;
  bool isOpen(OpFactorId opFactor, AxisId axis) const;
  void visit(OpId op, AxisId axis, BoundStates &found);

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  Assignment assignment;
  IdVector<NodeId, uint8_t> sumCarriers;
};

} // namespace partita::search

#endif
