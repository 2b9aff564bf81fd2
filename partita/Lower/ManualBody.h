//===- ManualBody.h - code that is already per device ---------------------===//
//
// The body of a `sdy.manual_computation` is the program of one device. Lowering
// copies it into the local program if it fits there: same mesh, and shardings
// that the plan keeps.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_MANUALBODY_H
#define PARTITA_LOWER_MANUALBODY_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::lower {

/// Whether the op only states how a value is sharded.
bool isMark(mlir::Operation *op);

/// Why the body of a manual computation cannot be copied into the local program; empty if it can. `id` is its op in the
/// flat program, `operands` its operands there.
std::string findManualFault(sdy::ManualComputationOp op, const Assignment &assignment, OpId id,
                            mlir::ValueRange operands);

/// Makes collectives in a copy of such a body refer to the local program's mesh. The program may have several equal
/// meshes.
void nameGroupMeshes(mlir::Operation *op);

} // namespace partita::lower

#endif
