//===- StraightCode.h - values that cross in straight code ----------------===//
//
// A block whose first part is a forward pass and whose rest is a backward pass:
// the program, or the body of a loop over microbatches. Its *seam* is the last op
// of the forward pass that the backward pass needs. A value crosses if it is
// defined before the seam and used behind it.
//
// Ops of one layer are a group: what is recomputed of a layer shares one cone. A
// cone does not leave its group, so that what layers pass on to each other is
// kept. Ops outside of repeated layers are one group for each value.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_REMAT_STRAIGHTCODE_H
#define PARTITA_REMAT_STRAIGHTCODE_H

#include "partita/Analysis/LayerChains.h"
#include "partita/Remat/Cone.h"
#include "partita/Remat/ProgramIndex.h"
#include "partita/Remat/Rooms.h"

namespace partita::remat {

/// The layers of the whole program.
class LayerMap {
public:
  explicit LayerMap(const ProgramIndex &index);

  /// Values of one class have one number: that of the first op of their layer chain, or else of their own op.
  OpId findFirst(OpId op) const;
  /// The layer of an op; {-1, 0} if it belongs to none.
  std::pair<int64_t, int32_t> getLayer(mlir::Operation *op) const;

private:
  const ProgramIndex &index;
  Topology topology;
  Repetition repetition;
  LayerChains chains;
  IdVector<OpId, OpId> previous;
};

class StraightCode {
public:
  StraightCode(mlir::Block &block, const ProgramIndex &index, const LayerMap &layers);

  mlir::Block &getBlock() const { return block; }
  /// Null if there is no backward pass.
  mlir::Operation *getSeam() const { return seam; }
  /// Of an op of the block or inside of one.
  bool isBehindSeam(mlir::Operation *op) const;
  /// Whether the op is of the block's backward pass, or of what follows it.
  bool isBackward(mlir::Operation *op) const;

  /// Values that cross and can be recomputed, in program order.
  std::vector<mlir::Value> findCrossing() const;
  /// Whether the backward pass uses the value.
  bool isCrossing(mlir::Value value) const;
  /// The ops that compute the values, which are of one group, from values that cross and are not among them, and from
  /// values of other groups.
  Cone findCone(llvm::ArrayRef<mlir::Value> values, const llvm::DenseSet<mlir::Value> &dropped) const;

private:
  bool mayBeRecomputed(mlir::Value value) const;
  bool isPassedOn(mlir::Value value) const;
  mlir::Operation *findInBlock(mlir::Operation *op) const { return block.findAncestorOpInBlock(*op); }

  mlir::Block &block;
  const ProgramIndex &index;
  const LayerMap &layers;
  mlir::Operation *seam = nullptr;
};

} // namespace partita::remat

#endif
