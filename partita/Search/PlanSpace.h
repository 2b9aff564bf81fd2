//===- PlanSpace.h - the space of partitionings ---------------------------===//
//
// States are assignments, moves are small tactics (Move.h). Every walker has an
// assignment of its own, on which the program's own shardings and the tactics
// that stand before the search have been applied; it makes and takes back moves
// on the assignment's trail and has what changed priced.
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

/// What walkers have in common. Everything is referred to.
struct PlanProblem {
  const CostModel &model;
  const CellNames &names;
  /// Tactics before the search; they apply without an error.
  const Schedule &given;
  const MoveTable &table;
  const IdVector<DimId, uint8_t> &steppedDims;
  std::vector<Goal> goals;
  /// What walkers tell each other, of this model and these goals.
  SharedPrices &shared;
  /// What moves did, of this table and from where walkers start.
  MoveMemory &memory;
};

/// One assignment, and the list of moves that led to it. Which state a list leads to shows when it is propagated; only
/// new ones are priced.
class PlanWalker : public Walker {
public:
  explicit PlanWalker(const PlanProblem &problem);

  Evaluated evaluate(llvm::ArrayRef<MoveId> moves) override;
  /// While memory is missed: moves that split what is alive at the peak, by its bytes. For time: those that split ops
  /// and collectives that take it, by their time.
  std::vector<MoveId> propose() override;
  /// All parameters, or all optimizer state, group by group.
  Moves expand(llvm::ArrayRef<MoveId> moves) override;

  /// Of the state that was evaluated last.
  const Cost &getCost() { return getTracker().getCost(); }
  const CostTracker &getTracker();
  const Assignment &getAssignment() const { return assignment; }
  MoveRunner &getRunner() { return runner; }

private:
  struct Level {
    MoveId move;
    MoveRunner::Mark runner;
    bool isEffective = false;
  };

  void push(MoveId move);
  /// Takes moves back until `size` are left.
  void popTo(size_t size);
  /// The move that tiles the target as the assignment has it now, in the way of `role`.
  MoveId findSingle(MoveRole role, const Move &many, TargetId target) const;
  /// Nodes that a goal depends on, with how much.
  std::vector<std::pair<NodeId, int64_t>> listWhatCounts() const;
  void indexMoves();

  const PlanProblem &problem;
  Assignment assignment;
  uint32_t firstStep;
  MoveRunner runner;
  ReshardPlanner planner;
  CostTracker tracker;
  std::vector<Level> levels;
  /// Of the state that the tracker has seen last.
  uint64_t pricedKey = 0;
  /// For each node, a bit for each move that splits it when it is made alone; empty before the first proposal.
  std::vector<uint64_t> movesByNode;
};

class PlanSpace : public Space {
public:
  explicit PlanSpace(const PlanProblem &problem);

  uint32_t getNumMoves() const override { return problem.table.numMain; }
  size_t getNumOps() const override { return problem.model.getGraph().ops.size(); }
  uint32_t getNumLocalMoves() const override {
    return static_cast<uint32_t>(problem.table.moves.size()) - problem.table.numMain;
  }
  MoveId getLike(MoveId move) const override { return problem.table.likes[move]; }
  double getReward(const Rating &rating) const override;
  double getBlend(const Rating &rating, double weight) const override;
  std::unique_ptr<Walker> makeWalker() const override { return std::make_unique<PlanWalker>(problem); }

  /// The list with two axes of the mesh exchanged, for every two; moves that the other axis does not have are left out.
  std::vector<Moves> getMirrors(llvm::ArrayRef<MoveId> moves) const override;
  /// For every two axes, the tiles of the one over the other as well, which loses its own.
  std::vector<Moves> getCopies(llvm::ArrayRef<MoveId> moves) const override;
  /// Moves of the same axis about the same group, or about the optimizer state of the same parameters.
  llvm::ArrayRef<MoveId> getAlternatives(MoveId move) const override { return alternatives[move.get()]; }
  /// Tiles of gradients that loops keep, over all axes of the mesh: once the batch is split, those are partial sums.
  Moves getEarlyMoves() const override;
  /// Without the moves of an axis; excluded is what splits most of what the greatest of them splits.
  std::vector<PartialPlan> getPartialPlans(llvm::ArrayRef<MoveId> moves) const override;
  /// Of equivalent axes, the first of the mesh is used first.
  Moves canonicalize(llvm::ArrayRef<MoveId> moves) const override;

  const PlanProblem &getProblem() const { return problem; }
  /// Of the state without any move.
  const Cost &getStartCost() const { return startCost; }

private:
  void findCounterparts();
  void findAlternatives();
  void findEquivalentAxes();
  /// The move over the axis of that number; invalid if there is none.
  MoveId getCounterpart(MoveId move, size_t axis) const { return counterparts[move.get()][axis]; }
  size_t getAxis(MoveId move) const { return moveAxes[move.get()]; }

  PlanProblem problem;
  Cost startCost;
  Rating startRating;
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
