//===- Machines.h - `partita machines` ------------------------------------===//

#ifndef PARTITA_DRIVER_MACHINES_H
#define PARTITA_DRIVER_MACHINES_H

#include "partita/Support/Error.h"

namespace partita {

struct MachinesRequest {
  /// `h100-sxm:4x8` or a file; empty lists the presets.
  std::string machine;
  /// Shows where the axes of this mesh lie.
  std::string mesh;
  std::string placement;
  /// A file with one request a line: prices these collectives (docs/machines.md).
  std::string price;
  bool json = false;
};

/// What the command prints. Notes on how a name was understood go to standard error.
Result<std::string> runMachines(const MachinesRequest &request);

} // namespace partita

#endif
