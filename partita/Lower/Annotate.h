//===- Annotate.h - the plan as shardings of the original program ---------===//
//
// For users who let Shardy partition: arguments and results have their
// shardings, and every inner value that the plan splits or pins is held by a
// `sdy.sharding_constraint`. What the program said itself is replaced: the plan
// has taken it up.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_LOWER_ANNOTATE_H
#define PARTITA_LOWER_ANNOTATE_H

#include "partita/Lower/Rooms.h"
#include "partita/Program/Flatten.h"
#include "partita/Propagate/Assignment.h"

namespace partita::lower {

/// Annotates `module`, of which `flattened` is the flat program, in place. From then on `flattened` describes it no
/// more.
void annotateProgram(mlir::ModuleOp module, const Flattened &flattened, const Assignment &assignment);

} // namespace partita::lower

#endif
