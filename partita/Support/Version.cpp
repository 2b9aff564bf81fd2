//===- Version.cpp - the version of Partita -------------------------------===//

#include "partita/Support/Version.h"

namespace partita {

const char *getVersion() { return "0.1.0"; }

} // namespace partita
