//===- PairwiseState.h - a pairwise problem while it is relaxed -----------===//
//
// The variables and edges of a problem (PairwiseBound.h) in the order of
// sweeps, with the messages between them. Labels can be dropped; a sharding is
// dropped with its last label.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PAIRWISESTATE_H
#define PARTITA_SEARCH_BOUND_PAIRWISESTATE_H

#include "partita/Search/Bound/ReshardTimeMatrix.h"
#include "partita/Search/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::search {

/// One end of an edge: the shardings that labels of the variable still have, and the messages to the variable.
struct EdgeEnd {
  /// Its number in the order of sweeps.
  uint32_t variable = 0;
  /// For each label, its number among `shardings`.
  std::vector<uint16_t> ofLabel;
  std::vector<uint32_t> shardings;
  std::vector<int64_t> sent;
  /// The weighted memory of the shardings; empty if it never had a weight.
  std::vector<int64_t> memory;

  int64_t getMemory(size_t sharding) const { return memory.empty() ? 0 : memory[sharding]; }
};

struct EdgeState {
  ReshardTimes *times = nullptr;
  EdgeEnd ends[2];
  EdgeWeight whole, partial;
  llvm::SmallVector<BoundRange, 1> ranges;
  /// The current weights of time and of memory.
  int64_t wholeWeight = 0, partialWeight = 0, memoryWeight = 0;
  /// Null if there are too many matrices already.
  std::shared_ptr<const ReshardTimeMatrix> matrix;
};

struct VariableState {
  uint32_t segment = 0;
  /// The cuts at which its costs are left out.
  llvm::SmallVector<uint32_t, 2> cuts;
  /// For each label that is left: its number in the problem, time and memory.
  std::vector<uint32_t> labels;
  std::vector<int64_t> costs, bytes;
  llvm::SmallVector<BoundRange, 1> ranges;
  int64_t memoryWeight = 0;
  /// Each edge, and which of its ends this variable is.
  llvm::SmallVector<std::pair<uint32_t, uint8_t>, 4> edges;
  uint32_t numEarlier = 0, numLater = 0;

  int64_t getShare() const { return std::max({numEarlier, numLater, uint32_t(1)}); }
  std::vector<int64_t> unary;
  /// The share of each label at the relaxed minimum; adds up to 1.
  std::vector<double> mass;
  /// Marks labels to be dropped; empty if all are kept.
  std::vector<uint8_t> isDropped;
};

struct PairwiseState {
  /// In the order of sweeps.
  std::vector<VariableState> variables;
  /// For each, its number in the problem.
  std::vector<uint32_t> order;
  std::vector<EdgeState> edges;

  /// Consumes the problem's variables and edges. Edges have no matrices yet.
  explicit PairwiseState(PairwiseProblem &problem);

  /// Finds the matrices of edges that have none; returns false if isOver() stopped it.
  bool findMatrices(llvm::function_ref<bool()> isOver);

  /// Drops marked labels, and the matrices of edges that have lost shardings. Returns false if a variable has no label
  /// left.
  bool dropLabels();

private:
  void addVariables(PairwiseProblem &problem);
  void addEdges(PairwiseProblem &problem);
  /// Returns whether shardings were dropped with the labels.
  static bool dropShardings(EdgeEnd &end, llvm::ArrayRef<uint8_t> isDropped);

  ReshardTimeMatrices matrices;
};

} // namespace partita::search

#endif
