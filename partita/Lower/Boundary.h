//===- Boundary.h - what a program says of shardings and donation ---------===//
//
// The attributes of a module, of @main's arguments and results and of ops that
// a plan replaces: the mesh, `sdy.sharding`, `tf.aliasing_output`.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_BOUNDARY_H
#define PARTITA_LOWER_BOUNDARY_H

#include "partita/Lower/Donation.h"
#include "partita/Lower/MeshAttrs.h"
#include "partita/Lower/Rooms.h"

#include "mlir/IR/BuiltinOps.h"

namespace partita::lower {

/// Removes the attributes by which `op` says how its results are sharded.
void dropShardingAttrs(mlir::Operation *op);

/// Defines `@mesh` at the beginning of `module`, which is for as many devices from now on.
void addMesh(mlir::ModuleOp module, const Mesh &mesh);

/// Gives the arguments and results of `main` the shardings and aliases of the plan in place of what stands there. On a
/// mesh of one device there are no shardings.
void annotateBoundary(mlir::func::FuncOp main, const Assignment &assignment, const Donation &donation,
                      ShardingAttrs &shardings);

} // namespace partita::lower

#endif
