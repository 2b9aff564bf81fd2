//===- MoveRunner.h - does to an assignment what a move says --------------===//
//
// Exactly what applySchedule does for the tactic that the move is, as an optional
// one: what cannot be done is passed over. What was done in the same situation
// before (MoveMemory.h) is repeated change by change, without propagation.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVERUNNER_H
#define PARTITA_SEARCH_MOVERUNNER_H

#include "partita/Propagate/Propagation.h"
#include "partita/Search/Move.h"
#include "partita/Search/MoveMemory.h"
#include "partita/Search/Rooms.h"

namespace partita::search {

class MoveRunner {
public:
  /// `steppedDims` are those of the topology (SteppedDims.h); `firstStep` is the number of the next step. `memory`, if
  /// it is there, is of runners whose assignments were the same at the start, and of one table.
  MoveRunner(Assignment &assignment, const MoveTable &table, const IdVector<DimId, uint8_t> &steppedDims,
             uint32_t firstStep, MoveMemory *memory);

  /// Where it stands, for `rollback`.
  struct Mark {
    size_t assignment = 0;
    uint32_t step = 0;
    uint64_t setKey = 0, plainKey = 0, orderKey = 0, coupledKey = 0;
    llvm::SmallVector<uint64_t, 4> axisKeys;
  };
  Mark mark() const { return {assignment.mark(), nextStep, setKey, plainKey, orderKey, coupledKey, axisKeys}; }
  void rollback(const Mark &mark);

  /// Makes the move, or repeats it; whether the state's key changed.
  bool run(MoveId move);
  /// Makes it even if it is known.
  bool runAnew(MoveId move);

  /// The same for assignments with the same decisions.
  uint64_t getKey() const { return setKey + orderKey; }
  /// The same for decisions that differ in nothing but the axis that they are about.
  uint64_t getPlainKey() const { return plainKey; }
  /// Of `runAnew`: conflicts that the last move met and nothing decided; nodes that it split.
  llvm::ArrayRef<Conflict> getConflicts() const { return conflicts; }
  llvm::ArrayRef<NodeId> getSplits() const { return splits; }

private:
  bool canTile(CellId cell, uint32_t dim, AxisId axis) const;
  void keepWhole(CellId cell, llvm::ArrayRef<AxisId> parts);
  void addChoices(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts);
  bool tile(CellId cell, uint32_t dim, llvm::ArrayRef<AxisId> parts);
  void assignFactor(CellId cell, uint8_t factor, llvm::ArrayRef<AxisId> parts);
  void groupUses(CellId cell, llvm::ArrayRef<CellId> users, llvm::ArrayRef<AxisId> parts);
  void tileFirstDivisible(CellId cell, llvm::ArrayRef<AxisId> parts);
  void runStep(CellId cell, uint32_t dim, AxisId axis);
  void runEntry(const MoveEntry &entry, llvm::ArrayRef<AxisId> parts);
  void runEntries(const Move &move);
  void addToKey(AxisId axis, uint64_t a, uint64_t b);
  void addOrderToKey(NodeId node, AxisId axis, uint8_t factor);
  void addSplitToKey(NodeId node, AxisId axis, uint8_t factor);

  // Memory.
  bool isRemembered(const Move &move) const;
  /// Of a move that is about to be made.
  MoveSituation getSituation(MoveId id) const;
  MoveChange describe(const Change &change, uint32_t firstStep) const;
  bool isCoupled(const MoveChange &change) const;
  /// What was done since, for the memory. Notes it in the keys that tell situations apart.
  MoveOutcome noteOutcome(const Mark &before);
  void repeat(const MoveOutcome &outcome, AxisId axis);

  Assignment &assignment;
  const Topology &topology;
  const MoveTable &table;
  const IdVector<DimId, uint8_t> &steppedDims;
  Propagation propagation;
  MoveMemory *memory;
  uint32_t nextStep;
  /// Of all decisions as a set; the same without their axes; of the order in which axes came to one factor.
  uint64_t setKey = 0, plainKey = 0, orderKey = 0;
  /// What the situations of moves are told apart by; nothing without a memory.
  uint64_t coupledKey = 0;
  llvm::SmallVector<uint64_t, 4> axisKeys;
  std::vector<Conflict> conflicts;
  std::vector<NodeId> splits;
};

} // namespace partita::search

#endif
