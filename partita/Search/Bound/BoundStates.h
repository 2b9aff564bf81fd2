//===- BoundStates.h - the node states of an op and their costs -----------===//
//
//   c(op, state)   for an op that is its own kernel its time, with copies of operands
//                  that lie in another order (DimOrders.h); for others what they write
//                  and read outside of their kernels, and the launch
//
// Lists the states that divide, with minor factors split only after their
// majors. Other reasons that may forbid a state are ignored. What can be listed
// depends on the sizes of an op's factors alone, so ops with equal sizes share a
// list. Where it is too long, one state stands for all, at the least cost of any
// of them. Costs depend on the sizes of pieces alone, so of states with equal
// pieces one is priced; and if an op is not its own kernel, its cost is that of
// the bytes that it moves, so the states that leave no axis free are enough.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_BOUNDSTATES_H
#define PARTITA_SEARCH_BOUND_BOUNDSTATES_H

#include "partita/Search/Bound/Bound.h"
#include "partita/Search/Rooms.h"

#include <map>

namespace partita::search {

/// Valid as long as the enumeration.
struct BoundStates {
  llvm::ArrayRef<BoundState> states;
  /// The sum over all executions.
  std::vector<int64_t> costs;
  /// There are too many states to list: one represents all, at the least cost of any.
  bool isUnknown = false;
};

class StateEnumeration {
public:
  explicit StateEnumeration(const CostModel &model);

  static constexpr size_t maxStates = 2048;

  BoundStates list(OpId op);
  bool mayTakeSum(NodeId node) const { return sumCarriers[node] != 0; }

private:
  /// What the rows of an op depend on: whether it takes partial sums; of each factor, the most parts and its majors.
  struct FactorSizes {
    bool mayTakeSum = false;
    std::vector<int64_t> sizes;
    std::vector<std::vector<uint8_t>> majors;

    auto operator<=>(const FactorSizes &) const = default;
  };
  struct Rows {
    std::vector<BoundState> states;
    /// States of which no two have equal pieces; and for each state the number of the one whose pieces it has.
    std::vector<BoundState> distinct;
    std::vector<uint32_t> numbers;
  };
  /// Sizes of pieces, each with its number among the distinct ones.
  using Pieces = std::map<std::vector<int64_t>, uint32_t>;
  /// States of which no two have equal pieces, and those of them to which no axis can be added. Empty if there are too
  /// many.
  struct DistinctRows {
    std::vector<BoundState> all, full;
  };

  int64_t computeStateCost(OpId op) const;
  int64_t computeWritten(OpId op) const;
  int64_t computeCopied(OpId op) const;
  int64_t computeRead(UseId use) const;
  FactorSizes findSizes(NodeId node) const;
  /// More than `maxStates` if there are too many.
  const Rows &findRows(NodeId node);
  const DistinctRows &findDistinctRows(NodeId node);
  bool isFull(const FactorSizes &all, llvm::ArrayRef<int64_t> partSizes, const BoundState &row) const;
  void addRows(const FactorSizes &all, std::vector<int64_t> &partSizes, BoundState &row, Pieces &known,
               Rows &rows) const;
  std::vector<int64_t> computeCosts(OpId op, llvm::ArrayRef<BoundState> states);
  bool costsNothing(OpId op) const;
  int64_t computeLeastCost(OpId op);

  const CostModel &model;
  const Graph &graph;
  const Topology &topology;
  Assignment assignment;
  IdVector<NodeId, uint8_t> sumCarriers;
  std::map<FactorSizes, Rows> knownRows;
  std::map<FactorSizes, DistinctRows> knownDistinctRows;
  /// The state without splits.
  BoundState whole;
};

} // namespace partita::search

#endif
