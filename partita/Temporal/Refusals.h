//===- Refusals.h - why a program cannot run microbatch by microbatch -----===//

#ifndef PARTITA_TEMPORAL_REFUSALS_H
#define PARTITA_TEMPORAL_REFUSALS_H

#include "partita/Support/Error.h"
#include "partita/Temporal/Forms.h"
#include "partita/Temporal/Rooms.h"

namespace partita::temporal {

/// An op between two loops needs the whole batch, and `costly` would run in both.
Error refuseBarrier(const MicroProgram &program, const Reached &reached, const Forms &forms, OpId barrier,
                    const MicroUnit &costly);

/// Values over the whole batch depend on each other; `first` needs the first of them.
Error refuseManyLoops(const MicroProgram &program, const Reached &reached, const Forms &forms, OpId first,
                      int numLoops);

/// Why a loop or branch of the program cannot run microbatch by microbatch: an op in it needs the whole of what has
/// pieces or terms only, or must not run several times. Nothing if all can.
Status checkBundles(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms);

/// The same for one loop or branch, and random bits inside of it.
Status checkBundle(const MicroProgram &program, const Units &units, const Reached &reached, const Forms &forms,
                   const MicroUnit &unit);

/// Refuses random bits that depend on the whole shape, if a microbatch needs a piece of them.
Status checkRandomBits(const MicroProgram &program, const Forms &forms);

} // namespace partita::temporal

#endif
