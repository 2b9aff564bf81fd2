//===- ManualBody.h - code that is written for a device already -----------===//

#ifndef PARTITA_LOWER_MANUALBODY_H
#define PARTITA_LOWER_MANUALBODY_H

#include "partita/Dialect/Sdy/Sdy.h"
#include "partita/Lower/Rooms.h"
#include "partita/Propagate/Assignment.h"

namespace partita::lower {

/// Ops that only say how a value is sharded.
bool isMark(mlir::Operation *op);

/// Why the body of a manual computation cannot stand in the local program as it is; empty if it can. `id` is its op in
/// the flat program, `operands` what it takes there.
std::string findManualFault(sdy::ManualComputationOp op, const Assignment &assignment, OpId id,
                            mlir::ValueRange operands);

/// Has collectives in a copy of such a body name the local program's mesh: programs may have several that are alike.
void nameGroupMeshes(mlir::Operation *op);

} // namespace partita::lower

#endif
