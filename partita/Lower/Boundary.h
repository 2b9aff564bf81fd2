//===- Boundary.h - sharding and donation attributes of a module ----------===//
//
// The attributes that a plan replaces, of a module, of @main's arguments and
// results, and of ops: the mesh, `sdy.sharding`, `tf.aliasing_output`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_BOUNDARY_H
#define PARTITA_LOWER_BOUNDARY_H

#include "partita/Lower/Donation.h"
#include "partita/Lower/MeshAttrs.h"
#include "partita/Lower/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::lower {

/// Removes the attributes that state how the results of `op` are sharded.
void dropShardingAttrs(mlir::Operation *op);

/// Defines `@mesh` at the beginning of `module` and makes it a module for that many devices.
void addMesh(mlir::ModuleOp module, const Mesh &mesh);

/// Replaces the shardings and aliases of `main`'s arguments and results by those of the plan. A mesh of one device has
/// no shardings.
void annotateBoundary(mlir::func::FuncOp main, const Assignment &assignment, const Donation &donation,
                      ShardingAttrs &shardings);

} // namespace partita::lower

#endif
