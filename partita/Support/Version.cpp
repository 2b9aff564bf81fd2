//===- Version.cpp - the version of Partita -------------------------------===//

#include "partita/Support/Version.h"

#include "partita/Support/Version.h.inc"

namespace partita {

const char *getVersion() { return PARTITA_VERSION; }

} // namespace partita
