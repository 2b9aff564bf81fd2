//===- Annotate.h - the plan as shardings of the original program ---------===//
//
// For users who let Shardy partition: arguments and results get their
// shardings, and a `sdy.sharding_constraint` holds every inner value that the
// plan splits or pins. Shardings that the program itself states are replaced:
// the plan already includes them.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_ANNOTATE_H
#define PARTITA_LOWER_ANNOTATE_H

#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Propagate/Assignment.h"

namespace partita::lower {

/// Annotates `module`, of which `flattened` is the flat program, in place. Afterwards `flattened` no longer describes
/// it.
void annotateProgram(mlir::ModuleOp module, const Flattened &flattened, const Assignment &assignment);

} // namespace partita::lower

#endif
