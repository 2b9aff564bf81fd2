//===- Version.h - the version of Partita ---------------------------------===//

#ifndef PARTITA_SUPPORT_VERSION_H
#define PARTITA_SUPPORT_VERSION_H

namespace partita {

/// Printed by `--version` and recorded in plans.
const char *getVersion();

} // namespace partita

#endif
