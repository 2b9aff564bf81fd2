//===- Explanation.h - why a value is split as it is ----------------------===//

#ifndef PARTITA_DRIVER_EXPLANATION_H
#define PARTITA_DRIVER_EXPLANATION_H

#include "partita/Driver/Planning.h"

namespace partita {

/// Of the value that `--value` names: for each axis which tactic split it, and from which value that came by
/// propagation; with `--machine`, what the plan would cost if the value were decided otherwise first, one change at a
/// time.
Result<std::string> explainValue(const Planning &planning, const Options &options, StageClock &clock);

} // namespace partita

#endif
