//===- ProgramCommands.cpp - commands about a program or a machine --------===//

#include "partita/Dialect/AllDialects.h"
#include "partita/Driver/Commands.h"
#include "partita/Driver/Stages.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Program/ProgramText.h"
#include "partita/Program/Reader.h"
#include "partita/Program/Rules/Rules.h"
#include "partita/Report/AnalysisText.h"
#include "partita/Report/Demo.h"
#include "partita/Support/AtomicFile.h"

namespace partita::driver {

Status runImport(const ImportCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  std::string text = clock.run("print", [&] { return printProgram(**module, options.locations); });
  return emit(options.common.output, std::move(text));
}

Status runRules(const RulesCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  auto context = makeContext();
  auto module = importFile(files.front(), *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  Result<UserRules> userRules = parseUserRules(options.flatten.rules);
  if (!userRules)
    return userRules.error();
  Result<std::string> text = clock.run("rules", [&] { return printRules(**module, *userRules); });
  if (!text)
    return text.error();
  return emit(options.common.output, std::move(*text));
}

Status runGraph(const CommonOptions &options, Operands files) {
  StageClock clock(options.timing);
  Result<Graph> graph = readGraphFile(files.front(), options, clock);
  if (!graph)
    return graph.error();
  return emit(options.output, printGraph(*graph));
}

/// Reads a flat program (`.json`), or imports and flattens a StableHLO program, of which values may be recomputed.
static Result<AnalyzedProgram> readOrFlatten(const AnalyzeCommand &options, llvm::StringRef path, StageClock &clock) {
  if (path.ends_with(".json")) {
    Result<Graph> graph = readGraphFile(path, options.common, clock);
    return graph ? Result(AnalyzedProgram{std::move(*graph), {}}) : graph.error();
  }
  auto context = makeContext();
  auto module = importFile(path, *context, options.common, options.program, clock);
  if (!module)
    return module.error();
  auto flattened = clock.run("flatten", [&] { return flatten(**module, options.flatten); });
  if (!flattened)
    return flattened.error();
  std::vector<RematClass> classes = clock.run("remat", [&] { return findRematClasses(**module, *flattened); });
  return AnalyzedProgram{std::move(flattened->graph), std::move(classes)};
}

Status runAnalyze(const AnalyzeCommand &options, Operands files) {
  StageClock clock(options.common.timing);
  Result<AnalyzedProgram> program = readOrFlatten(options, files.front(), clock);
  if (!program)
    return program.error();
  setActivity("analyzing the program");
  return emit(options.common.output, clock.run("analyze", [&] { return printAnalysis(*program, options.json); }));
}

Status runMachines(const MachinesCommand &options, Operands names) {
  MachineQuery query = options.query;
  if (!names.empty())
    query.machine = names.front();
  Result<std::string> text = answerMachineQuery(query);
  if (!text)
    return text.error();
  return emit(options.common.output, std::move(*text));
}

Status runDemo(const CommonOptions &options, Operands) {
  auto context = makeContext();
  Result<std::string> text = printDemo(*context, options.limits);
  if (!text)
    return text.error();
  return emit(options.output, std::move(*text));
}

} // namespace partita::driver
