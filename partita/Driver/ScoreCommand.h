//===- ScoreCommand.h - `partita score` and `partita diff` ----------------===//

#ifndef PARTITA_DRIVER_SCORECOMMAND_H
#define PARTITA_DRIVER_SCORECOMMAND_H

#include "partita/Driver/Options.h"

namespace partita {

/// What the command prints: the score of the plan that the options name, or of each of `plans` (plans or schedules) and
/// how they compare. Writes the trace, if one is asked for.
Result<std::string> runScore(const Options &options, llvm::StringRef program, llvm::ArrayRef<std::string> plans);

/// Where two plans of a program differ, and what each difference costs.
Result<std::string> runDiff(const Options &options, llvm::StringRef program, llvm::StringRef first,
                            llvm::StringRef second);

} // namespace partita

#endif
