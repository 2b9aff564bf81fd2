//===- MachineText.h - `partita machines`: machines and prices as text ----===//

#ifndef PARTITA_REPORT_MACHINETEXT_H
#define PARTITA_REPORT_MACHINETEXT_H

#include "partita/Report/Rooms.h"
#include "partita/Support/Error.h"

namespace partita::report {

/// The options of `partita machines`.
struct MachineQuery {
  /// `h100-sxm:4x8` or a file; empty lists the presets.
  std::string machine;
  /// Shows over which levels the axes of this mesh run.
  std::string mesh;
  std::string placement;
  /// Lists all placements of this mesh instead.
  bool placements = false;
  /// A file with one collective to price per line (docs/machines.md).
  std::string price;
  bool json = false;
};

/// The output of the command. Prints notes on how a name was understood to standard error.
Result<std::string> answerMachineQuery(const MachineQuery &query);

} // namespace partita::report

#endif
