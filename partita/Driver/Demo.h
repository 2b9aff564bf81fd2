//===- Demo.h - an embedded example, end to end ---------------------------===//

#ifndef PARTITA_DRIVER_DEMO_H
#define PARTITA_DRIVER_DEMO_H

#include "partita/Driver/Options.h"

namespace partita {

/// The demonstration's text: the embedded program and what Partita makes of it.
Result<std::string> runDemo(const Options &options);

} // namespace partita

#endif
