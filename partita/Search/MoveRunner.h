//===- MoveRunner.h - does to an assignment what a move says --------------===//
//
// Exactly what applySchedule does for the tactic that the move is, as an optional
// one: what cannot be done is passed over.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SEARCH_MOVERUNNER_H
#define PARTITA_SEARCH_MOVERUNNER_H

#include "partita/Propagate/Propagation.h"
#include "partita/Search/Move.h"

namespace partita {

class MoveRunner {
public:
  /// `steppedDims` are those of the topology (SteppedDims.h); `firstStep` is the number of the next step.
  MoveRunner(Assignment &assignment, const MoveTable &table, const IdVector<DimId, uint8_t> &steppedDims,
             uint32_t firstStep);

  /// Where it stands, for `rollback`.
  struct Mark {
    size_t assignment = 0;
    uint32_t step = 0;
    uint64_t key = 0;
  };
  Mark mark() const { return {assignment.mark(), nextStep, key}; }
  void rollback(const Mark &mark);

  /// Makes the move; whether the state's key changed.
  bool run(const Move &move);

  /// The same for assignments with the same decisions.
  uint64_t getKey() const { return key; }
  /// Conflicts that the last move met and nothing decided; nodes that it split.
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
  void addToKey(uint64_t a, uint64_t b, uint64_t c);

  Assignment &assignment;
  const Topology &topology;
  const MoveTable &table;
  const IdVector<DimId, uint8_t> &steppedDims;
  Propagation propagation;
  uint32_t nextStep;
  uint64_t key = 0;
  std::vector<Conflict> conflicts;
  std::vector<NodeId> splits;
};

} // namespace partita

#endif
