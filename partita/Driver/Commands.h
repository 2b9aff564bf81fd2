//===- Commands.h - the verbs of the command-line tool --------------------===//

#ifndef PARTITA_DRIVER_COMMANDS_H
#define PARTITA_DRIVER_COMMANDS_H

#include <string>
#include <vector>

namespace partita {

/// Runs `partita ARGUMENTS...`; gives the exit code. Messages go to standard error, results to standard
/// output or where `--output` says.
int runCommandLine(const std::vector<std::string> &arguments);

} // namespace partita

#endif
