//===- MachineText.h - machines, placements and prices as text ------------===//

#ifndef PARTITA_REPORT_MACHINETEXT_H
#define PARTITA_REPORT_MACHINETEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::report {

/// What is asked of `partita machines`.
struct MachineQuery {
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
Result<std::string> answerMachineQuery(const MachineQuery &query);

} // namespace partita::report

#endif
