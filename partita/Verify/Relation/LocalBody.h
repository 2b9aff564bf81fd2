//===- LocalBody.h - the part of a local program that devices run ---------===//
//
// A local program is one manual computation over all axes of its mesh, or a
// plain program for a single device. The check starts at its body.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_VERIFY_RELATION_LOCALBODY_H
#define PARTITA_VERIFY_RELATION_LOCALBODY_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Verify/Relation/PieceLayout.h"
#include "partita/Verify/Rooms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace partita::verify {

/// The manual computation of a local program; null for the plain program of a single device.
struct LocalBody {
  sdy::ManualComputationOp manual;
  std::optional<DeviceMesh> mesh;
  Digits axes;

  mlir::Block &getBlock(mlir::func::FuncOp main) { return manual ? manual.getBody().front() : main.getBody().front(); }
  /// What a device holds of a value with this sharding.
  Result<PieceLayout> makeLayout(sdy::TensorShardingAttr sharding) const;
};

Result<LocalBody> findLocalBody(mlir::func::FuncOp main);

/// The mesh that the shardings of a manual computation name; null if they name none, or several.
sdy::MeshAttr findMesh(sdy::ManualComputationOp manual);

} // namespace partita::verify

#endif
