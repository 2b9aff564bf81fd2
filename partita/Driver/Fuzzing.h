//===- Fuzzing.h - `partita fuzz` -----------------------------------------===//

#ifndef PARTITA_DRIVER_FUZZING_H
#define PARTITA_DRIVER_FUZZING_H

#include "partita/Driver/Options.h"

namespace partita {

/// Runs random cases and prints what became of them; those that fail are saved. A difference (exit code 1) if any
/// failed.
Status runFuzz(const Options &options);

} // namespace partita

#endif
