//===- Analyzing.cpp - `partita analyze` and `--stop-after=analyze` -------===//

#include "partita/Driver/Analyzing.h"

#include "partita/Analysis/AnalysisReport.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Reader.h"
#include "partita/Support/Containment.h"

namespace partita {

std::string printAnalysisOf(const Graph &graph, const Options &options, StageClock &clock) {
  setActivity("analyzing the program");
  auto analysis = clock.run("analyze", [&] {
    auto made = std::make_unique<Analysis>(graph);
    // Built when first asked for; what is printed counts to this stage.
    made->getFolding();
    made->getColours();
    return made;
  });
  std::string text;
  llvm::raw_string_ostream out(text);
  if (options.json)
    writeAnalysis(*analysis, out);
  else
    printAnalysis(*analysis, out);
  return text;
}

Result<std::string> analyzeGraphFile(llvm::StringRef path, const Options &options) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path, options.limits);
  if (!buffer)
    return buffer.error();
  StageClock clock(options.timing);
  auto graph = clock.run("read", [&] { return readGraph((*buffer)->getBuffer(), path); });
  if (!graph)
    return graph.error();
  return printAnalysisOf(*graph, options, clock);
}

Result<std::string> analyzeProgramFile(llvm::StringRef path, const Options &options) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(path, *context, options, clock);
  if (!module)
    return module.error();
  auto flattened = clock.run("flatten", [&] { return flatten(**module, options.flatten); });
  if (!flattened)
    return flattened.error();
  return printAnalysisOf(flattened->graph, options, clock);
}

} // namespace partita
