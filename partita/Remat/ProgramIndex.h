//===- ProgramIndex.h - from the module to the flat program ---------------===//

#ifndef PARTITA_REMAT_PROGRAMINDEX_H
#define PARTITA_REMAT_PROGRAMINDEX_H

#include "partita/Dialect/StableHlo/StableHlo.h"
#include "partita/Program/Flatten.h"
#include "partita/Remat/Rooms.h"

namespace partita::remat {

/// `flattened.origins`, the other way round, and what follows from it.
class ProgramIndex {
public:
  explicit ProgramIndex(const Flattened &flattened);

  const Flattened &getFlattened() const { return flattened; }
  const Graph &getGraph() const { return flattened.graph; }

  /// Invalid for ops that depend on no argument, loops, branches and barriers.
  OpId getOp(mlir::Operation *op) const { return ops.lookup(op); }
  /// Invalid where the op is.
  CellId getCell(mlir::Value value) const;
  /// What the loop carries as its `index`-th value.
  CellId getCarried(stablehlo::WhileOp loop, unsigned index) const { return carried.lookup({loop, index}); }

  /// The first and the last op of the flat program that it is made of, with those inside of it; invalid ids if none.
  std::pair<OpId, OpId> getRange(mlir::Operation *op) const { return ranges.lookup(op); }

  /// Whether the op, or one inside of it, belongs to the phase.
  bool isIn(mlir::Operation *op, Phase phase) const {
    return (phases.lookup(op) >> static_cast<unsigned>(phase) & 1) != 0;
  }
  /// Whether the op depends on no argument.
  bool isFree(mlir::Operation *op) const { return flattened.freeOps.contains(op); }
  /// Multiplications and additions of all runs of the op and of those inside of it; a loop of unknown length runs once.
  int64_t countFlops(mlir::Operation *op) const { return flops.lookup(op); }

private:
  const Flattened &flattened;
  llvm::DenseMap<mlir::Operation *, OpId> ops;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, CellId> carried;
  llvm::DenseMap<mlir::Operation *, std::pair<OpId, OpId>> ranges;
  llvm::DenseMap<mlir::Operation *, uint8_t> phases;
  llvm::DenseMap<mlir::Operation *, int64_t> flops;
};

} // namespace partita::remat

#endif
