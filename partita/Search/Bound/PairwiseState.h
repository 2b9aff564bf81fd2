//===- PairwiseState.h - a pairwise problem while it is being relaxed -----===//
//
// The variables and edges of a problem (PairwiseBound.h) in the order of sweeps,
// with what is sent between them. Labels can be dropped, and forms go with the
// last label that has them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_BOUND_PAIRWISESTATE_H
#define PARTITA_SEARCH_BOUND_PAIRWISESTATE_H

#include "partita/Search/Bound/ReshardTimeMatrix.h"
#include "partita/Search/Rooms.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace partita::search {

/// One end of an edge: forms that labels of the variable still have, and what was sent to the variable.
struct EdgeEnd {
  /// Its number in the order of sweeps.
  uint32_t variable = 0;
  /// For each label, its number among `forms`.
  std::vector<uint16_t> ofLabel;
  std::vector<uint32_t> forms;
  std::vector<int64_t> sent;
  /// Weighted memory of the forms.
  std::vector<int64_t> memory;
};

struct EdgeState {
  ReshardTimes *times = nullptr;
  EdgeEnd ends[2];
  EdgeWeight whole, partial;
  llvm::SmallVector<BoundRange, 1> ranges;
  /// Now: of time, and of memory.
  int64_t wholeWeight = 0, partialWeight = 0, memoryWeight = 0;
  /// Null if too many are kept already.
  std::shared_ptr<const ReshardTimeMatrix> matrix;
};

struct VariableState {
  uint32_t segment = 0;
  std::vector<int64_t> costs, bytes;
  llvm::SmallVector<BoundRange, 1> ranges;
  int64_t memoryWeight = 0;
  /// Edge and which end of it.
  llvm::SmallVector<std::pair<uint32_t, uint8_t>, 4> edges;
  uint32_t numEarlier = 0, numLater = 0;

  int64_t getShare() const { return std::max({numEarlier, numLater, uint32_t(1)}); }
  std::vector<int64_t> unary;
  /// How much of it has which label at the relaxed minimum; 1 in all.
  std::vector<double> mass;
  /// Of labels that shall be dropped; empty if all are kept.
  std::vector<uint8_t> isDropped;
};

struct PairwiseState {
  std::vector<VariableState> variables;
  std::vector<EdgeState> edges;

  /// Uses the problem's variables and edges up. Edges have no matrices yet.
  explicit PairwiseState(PairwiseProblem &problem);

  /// For edges that have none, as long as it is not over; whether it is not.
  bool findMatrices(llvm::function_ref<bool()> isOver);

  /// Drops what is marked, and the matrices of edges that have lost forms. False if a variable has no label left.
  bool dropLabels();

private:
  void addVariables(PairwiseProblem &problem);
  void addEdges(PairwiseProblem &problem);
  /// Whether forms went with the labels.
  static bool dropForms(EdgeEnd &end, llvm::ArrayRef<uint8_t> isDropped);

  ReshardTimeMatrices matrices;
};

} // namespace partita::search

#endif
