//===- Commands.cpp - the commands of the command-line tool ---------------===//

#include "partita/Driver/Commands.h"

#include "partita/Support/CommandTable.h"
#include "partita/Support/Version.h"

namespace partita::driver {

/// The options that every command has, wherever a command's own keep them.
static CommonOptions getCommon(const CommonOptions &options) { return options; }
template <typename Options> static CommonOptions getCommon(const Options &options) {
  if constexpr (requires { options.common; })
    return options.common;
  else
    return options.planning.common;
}

/// A row of the table: `operands` describes the operands.
template <typename Options>
static Command makeCommand(llvm::StringRef name, llvm::StringRef operands, llvm::StringRef help,
                           Status (*run)(const Options &, Operands), size_t numOperands, size_t numOptional = 0) {
  auto getShared = [](const Options &options) { return getCommon(options); };
  return partita::makeCommand(name, operands, help, run, getShared, numOperands, numOptional);
}

static const std::vector<Command> &getCommands() {
  static const std::vector<Command> commands{
      makeCommand("import", "FILE", "Brings a StableHLO program to the normal form and prints it", runImport, 1),
      makeCommand("plan", "FILE",
                  "Partitions a program by a search, or by the tactics of --schedule; writes the plan to the folder "
                  "--output",
                  runPlan, 1),
      makeCommand("rules", "FILE", "Prints the partitioning rule of every op", runRules, 1),
      makeCommand("graph", "FILE", "Reads a flat program (docs/graph.md), checks it and prints it", runGraph, 1),
      makeCommand("analyze", "FILE",
                  "Prints the dims, groups and layers of a program, or of a flat program in a .json "
                  "file",
                  runAnalyze, 1),
      makeCommand("propagate", "FILE", "Applies the tactics of --schedule to a flat program and prints the assignment",
                  runPropagate, 1),
      makeCommand("validate-rules", "FILE", "Checks the rule of every op by execution; prints a JSON object for each",
                  runValidateRules, 1),
      makeCommand("eval", "FILE",
                  "Runs a program on the reference evaluator; prints the results, or saves them as .npz", runEval, 1),
      makeCommand("verify", "FILE",
                  "Runs a program and a partitioned one (--plan, --schedule or --local) and compares every result on "
                  "every device",
                  runVerify, 1),
      makeCommand("score", "FILE [PLAN...]",
                  "Predicts time and memory of plans and schedules on --machine; compares several", runScore, 1, 64),
      makeCommand("diff", "FILE PLAN PLAN", "Says where two plans differ, and what each difference costs on --machine",
                  runDiff, 3),
      makeCommand(
          "explain", "FILE",
          "Says why --value is split as it is, which collectives that causes, and on --machine what alternatives cost",
          runExplain, 1),
      makeCommand("fuzz", "", "Partitions random programs at random and checks each by execution", runFuzz, 0),
      makeCommand("machines", "[NAME]", "Lists the known machines, or describes one: a name (h100-sxm:4x8) or a file",
                  runMachines, 0, 1),
      makeCommand("solve", "FILE",
                  "Solves a problem of the IOPDDL contest (.json or .json.gz): chooses strategies within a limit",
                  runSolve, 1),
      makeCommand("demo", "", "Shows what Partita does on an embedded example", runDemo, 0),
  };
  return commands;
}

int runCommandLine(const std::vector<std::string> &arguments) {
  std::string title = std::string("Partita ") + getVersion() + ": automatic partitioning of StableHLO programs";
  return runCommandTable({"partita", title}, getCommands(), arguments);
}

} // namespace partita::driver
