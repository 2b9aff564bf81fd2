//===- Analyzing.h - `partita analyze` and `--stop-after=analyze` ---------===//

#ifndef PARTITA_DRIVER_ANALYZING_H
#define PARTITA_DRIVER_ANALYZING_H

#include "partita/Driver/Pipeline.h"
#include "partita/Graph/Graph.h"

namespace partita {

/// What the analysis finds in the program, as text, or as JSON if `--json` asks for it.
std::string printAnalysisOf(const Graph &graph, const Options &options, StageClock &clock);

/// Of the flat program in a file.
Result<std::string> analyzeGraphFile(llvm::StringRef path, const Options &options);

/// Of a StableHLO program.
Result<std::string> analyzeProgramFile(llvm::StringRef path, const Options &options);

} // namespace partita

#endif
