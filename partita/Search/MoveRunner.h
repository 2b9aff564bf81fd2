//===- MoveRunner.h - applies moves to an assignment ----------------------===//
//
// Has exactly the effect of applySchedule for the move's tactic, as an optional
// one: impossible parts are skipped. A move whose outcome in the same situation
// is known (MoveMemory.h) is repeated change by change, without propagation.
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
  /// `steppedDims` are those of the topology (SteppedDims.h); `firstStep` is the number of the next step. `memory` may
  /// be null; it is shared by runners with the same initial assignment and table.
  MoveRunner(Assignment &assignment, const MoveTable &table, const IdVector<DimId, uint8_t> &steppedDims,
             uint32_t firstStep, MoveMemory *memory);

  /// A position to return to by rollback().
  struct Mark {
    size_t assignment = 0;
    uint32_t step = 0;
    uint64_t setKey = 0, plainKey = 0, orderKey = 0, coupledKey = 0;
    llvm::SmallVector<uint64_t, 4> axisKeys;
  };
  Mark mark() const { return {assignment.mark(), nextStep, setKey, plainKey, orderKey, coupledKey, axisKeys}; }
  void rollback(const Mark &mark);

  /// Applies the move, from memory if its outcome is known. Returns whether the state's key changed.
  bool run(MoveId move);
  /// Applies the move by propagation even if its outcome is known.
  bool runAnew(MoveId move);
  /// What the move would change now; null if that is not in memory.
  const MoveOutcome *findOutcome(MoveId move) const;

  /// Equal for assignments with the same decisions.
  uint64_t getKey() const { return setKey + orderKey; }
  /// Equal for decisions that differ only in their axes.
  uint64_t getPlainKey() const { return plainKey; }
  /// After `runAnew`: the undecided conflicts that the move met; the nodes that it split.
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
  void addPinOrderToKey(CellId pinned, uint32_t dim, AxisId axis);
  bool isPinDeciding(CellId cell, uint32_t dim, AxisId axis) const;
  void addSplitToKey(NodeId node, AxisId axis, uint8_t factor);

  // Memory.
  bool isRemembered(const Move &move) const;
  /// The situation of a move that is about to be applied.
  MoveSituation getSituation(MoveId id) const;
  MoveChange describe(const Change &change, uint32_t firstStep) const;
  bool isCoupled(const MoveChange &change) const;
  /// The changes since `before`, for the memory. Adds them to the keys of situations.
  MoveOutcome noteOutcome(const Mark &before);
  void repeat(const MoveOutcome &outcome, AxisId axis);

  Assignment &assignment;
  const Topology &topology;
  const MoveTable &table;
  const IdVector<DimId, uint8_t> &steppedDims;
  Propagation propagation;
  MoveMemory *memory;
  uint32_t nextStep;
  /// Keys of the set of all decisions; of the same without their axes; of the order in which axes split one factor.
  uint64_t setKey = 0, plainKey = 0, orderKey = 0;
  /// Keys of situations; unused without a memory.
  uint64_t coupledKey = 0;
  llvm::SmallVector<uint64_t, 4> axisKeys;
  std::vector<Conflict> conflicts;
  std::vector<NodeId> splits;
};

} // namespace partita::search

#endif
