//===- OpPieces.h - the part of an op that one device computes ------------===//
//
// An op of the flat program becomes what its rule gives for the pieces of its
// operands: the op on local shapes, and ops beside it where the device's number
// decides (a mask, an offset). Values that depend on no argument are computed once
// for all ops that take the same piece of them (FreeValues.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_OPPIECES_H
#define PARTITA_LOWER_OPPIECES_H

#include "partita/Lower/DeviceIndex.h"
#include "partita/Lower/FreeValues.h"
#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Propagate/Assignment.h"

namespace partita::lower {

class OpPieces {
public:
  /// Keeps references to all of them.
  OpPieces(const Flattened &flattened, const Assignment &assignment, DeviceIndex &index, FreeValues &freeValues)
      : flattened(flattened), assignment(assignment), axes(assignment.getAxes()), index(index), freeValues(freeValues) {
  }

  /// The pieces of the results of `id`. An error says why one device cannot compute its part.
  Result<mlir::SmallVector<mlir::Value>> emit(mlir::OpBuilder &builder, OpId id, mlir::ValueRange operands);
  /// The result of a product for operands whose rows, the dim of `factor`, are cut into so many parts once more.
  mlir::Value emitRows(mlir::OpBuilder &builder, OpId id, mlir::ValueRange operands, uint8_t factor, int64_t parts);

  mlir::Location getLocation(OpId id) const { return flattened.origins[id]->getLoc(); }

  /// Whether some piece was computed with what another device has.
  bool hasNeighbors() const { return takesFromNeighbors; }

private:
  mlir::SmallVector<Split> makeSplits(OpId id);
  /// Gives the exchanges between `before` and the builder their devices.
  void setExchanges(mlir::OpBuilder &builder, mlir::Operation *before, OpId id);

  const Flattened &flattened;
  const Assignment &assignment;
  const Axes &axes;
  DeviceIndex &index;
  FreeValues &freeValues;
  bool takesFromNeighbors = false;
};

} // namespace partita::lower

#endif
