//===- Lowering.h - the local program of a plan that was made -------------===//

#ifndef PARTITA_DRIVER_LOWERING_H
#define PARTITA_DRIVER_LOWERING_H

#include "partita/Driver/Rooms.h"
#include "partita/Driver/Stages.h"
#include "partita/Lower/LocalProgram.h"

namespace partita::driver {

/// Lowers the plan. `planned` is the program that it is of. The plan is made from the flat program, and a loop is
/// rotated op by op: where that shows that a collective has to stay in its iteration, `made` gets the plan in which it
/// does, and a note says so.
Result<LocalProgram> lowerMade(MadePlan &made, mlir::ModuleOp planned, StageClock &clock);

} // namespace partita::driver

#endif
