//===- PlanSpace.h - the space of partitionings ---------------------------===//
//
// States are assignments, moves are small tactics (Move.h). Every walker has
// its own assignment, to which the program's shardings and the tactics before
// the search have been applied. It applies and undoes moves on the assignment's
// trail and prices what changed.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_PLANSPACE_H
#define PARTITA_SEARCH_PLANSPACE_H

#include "partita/Schedule/Tactics.h"
#include "partita/Search/Goal.h"
#include "partita/Search/MoveRunner.h"
#include "partita/Search/Rooms.h"
#include "partita/Search/SharedPrices.h"

namespace partita::search {

/// What walkers have in common. Refers to everything.
struct PlanProblem {
  const CostModel &model;
  const CellNames &names;
  /// Tactics before the search; they must apply without an error.
  const Schedule &given;
  const MoveTable &table;
  const IdVector<DimId, uint8_t> &steppedDims;
  std::vector<Goal> goals;
  /// Prices that walkers share, for this model and these goals.
  SharedPrices &shared;
  /// Outcomes of moves, for this table and the walkers' start.
  MoveMemory &memory;
};

/// Applies the tactics before the search; returns the number of the next step.
uint32_t applyGiven(const PlanProblem &problem, Assignment &assignment);

/// One assignment and the list of moves that led to it. Propagation shows which state a list leads to; only new states
/// are priced.
class PlanWalker : public Walker {
public:
  explicit PlanWalker(const PlanProblem &problem);

  Evaluated evaluate(llvm::ArrayRef<MoveId> moves) override;
  /// If the state does not fit: moves that split what is alive at the peak, by its bytes. For time: moves that split
  /// ops and collectives, by their time.
  std::vector<MoveId> propose() override;
  /// Replaces moves on all parameters or all optimizer state by moves on single groups.
  Moves expand(llvm::ArrayRef<MoveId> moves) override;

  /// The cost of the state that was evaluated last.
  const Cost &getCost() { return getTracker().getCost(); }
  const CostTracker &getTracker();
  const Assignment &getAssignment() const { return assignment; }

private:
  struct Level {
    MoveId move;
    MoveRunner::Mark runner;
    bool isEffective = false;
  };

  void push(MoveId move);
  /// Undoes moves until `size` are left.
  void popTo(size_t size);
  /// The move of `role` that tiles the target along the dim.
  MoveId findSingle(MoveRole role, llvm::StringRef axis, TargetId target, uint32_t dim) const;
  Moves expandOne(MoveId many, MoveRole role) const;
  /// The nodes that the open goal depends on, with bytes or time.
  std::vector<std::pair<NodeId, int64_t>> listWhatCounts() const;
  void indexMoves();

  const PlanProblem &problem;
  Assignment assignment;
  uint32_t firstStep;
  MoveRunner runner;
  ReshardPlanner planner;
  CostTracker tracker;
  std::vector<Level> levels;
  /// The key of the state that the tracker priced last.
  uint64_t pricedKey = 0;
  /// For each node, a bit for each move that splits it when applied alone; empty before the first proposal.
  std::vector<uint64_t> movesByNode;
};

class PlanSpace : public Space {
public:
  explicit PlanSpace(const PlanProblem &problem);

  uint32_t getNumMoves() const override { return problem.table.numMain; }
  size_t getNumOps() const override { return problem.model.getGraph().ops.size(); }
  bool isOfSeedsAlone(MoveId move) const override { return isBySize(problem.table.moves[move].role); }
  uint32_t getNumLocalMoves() const override {
    return static_cast<uint32_t>(problem.table.moves.size()) - problem.table.numMain;
  }
  MoveId getRepresentative(MoveId move) const override { return problem.table.representatives[move]; }
  double getReward(const Rating &rating) const override;
  double getBlend(const Rating &rating, double weight) const override;
  std::unique_ptr<Walker> makeWalker() const override { return std::make_unique<PlanWalker>(problem); }

  /// The list with two axes of the mesh exchanged, for every pair; drops moves that the other axis does not have.
  std::vector<Moves> getMirrors(llvm::ArrayRef<MoveId> moves) const override;
  /// For every pair of axes, the tiles of the first repeated on the second, in place of its own.
  std::vector<Moves> getCopies(llvm::ArrayRef<MoveId> moves) const override;
  /// In front of the first move over many groups on the same axis or a part of it.
  size_t findPlace(llvm::ArrayRef<MoveId> moves, MoveId move) const override;
  /// Moves of the same axis on the same group, or on the optimizer state of the same parameters.
  llvm::ArrayRef<MoveId> getAlternatives(MoveId move) const override { return alternatives[move.get()]; }
  Moves getCounterparts(MoveId move) const override;
  /// Tiles of gradients that loops keep, over all axes of the mesh: after a split of the batch, these are partial sums.
  Moves getEarlyMoves() const override;
  /// The list without the moves of an axis. Excludes moves that split most of what the largest of those moves splits.
  std::vector<PartialPlan> getPartialPlans(llvm::ArrayRef<MoveId> moves) const override;
  /// Uses equivalent axes in the order of the mesh.
  Moves canonicalize(llvm::ArrayRef<MoveId> moves) const override;

  const PlanProblem &getProblem() const { return problem; }
  /// The cost of the state without any move.
  const Cost &getStartCost() const { return startCost; }

private:
  void findCounterparts();
  void findAlternatives();
  void findEquivalentAxes();
  /// The same move over the axis of that number; invalid if there is none.
  MoveId getCounterpart(MoveId move, size_t axis) const { return counterparts[move.get()][axis]; }
  size_t getAxis(MoveId move) const { return moveAxes[move.get()]; }

  PlanProblem problem;
  Cost startCost;
  /// Names of the axes of all moves, in order of appearance.
  std::vector<std::string> axes;
  /// For each move and axis, the same move on that axis; invalid if there is none.
  std::vector<std::vector<MoveId>> counterparts;
  std::vector<std::vector<MoveId>> alternatives;
  /// Number of each move's axis.
  std::vector<uint32_t> moveAxes;
  /// For each axis the first that is equivalent to it.
  std::vector<uint32_t> axisClasses;
};

} // namespace partita::search

#endif
