//===- LocalBody.h - what a device runs of a local program ----------------===//

#ifndef PARTITA_VERIFY_RELATION_LOCALBODY_H
#define PARTITA_VERIFY_RELATION_LOCALBODY_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Verify/Relation/PieceLayout.h"
#include "partita/Verify/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::verify {

/// The manual computation that a local program is, or nothing for the plain program of a single device.
struct LocalBody {
  sdy::ManualComputationOp manual;
  std::optional<DeviceMesh> mesh;
  Digits axes;

  mlir::Block &getBlock(mlir::func::FuncOp main) { return manual ? manual.getBody().front() : main.getBody().front(); }
  /// What a device holds of a value that is sharded so.
  Result<PieceLayout> makeLayout(sdy::TensorShardingAttr sharding) const;
};

Result<LocalBody> findLocalBody(mlir::func::FuncOp main);

/// The mesh that the shardings of a manual computation name; null if they name none, or several.
sdy::MeshAttr findMesh(sdy::ManualComputationOp manual);

} // namespace partita::verify

#endif
