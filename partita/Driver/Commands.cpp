//===- Commands.cpp - the commands of the command-line tool ---------------===//

#include "partita/Driver/Commands.h"

#include "partita/Support/AtomicFile.h"
#include "partita/Support/Spelling.h"
#include "partita/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita::driver {

namespace {

/// A parsed command line.
struct Invocation {
  bool isHelp = false;
  int64_t caller = 0;
  std::vector<std::string> operands;
  std::function<Status()> work;
};

struct Command {
  llvm::StringRef name, operands, help;
  size_t numOperands = 0, numOptional = 0;
  std::function<void(llvm::raw_ostream &out)> printOptions;
  std::function<Result<Invocation>(llvm::ArrayRef<std::string> words)> parse;
};

} // namespace

/// The options that every command has, wherever a command's own keep them.
static CommonOptions getCommon(const CommonOptions &options) { return options; }
template <typename Options> static CommonOptions getCommon(const Options &options) {
  if constexpr (requires { options.common; })
    return options.common;
  else
    return options.planning.common;
}

/// `operands` describes the operands: `FILE`, `[NAME]`, `PLAN...`.
template <typename Options>
static Command makeCommand(llvm::StringRef name, llvm::StringRef operands, llvm::StringRef help,
                           Status (*run)(const Options &, Operands), size_t numOperands, size_t numOptional = 0) {
  Command command{name, operands, help, numOperands, numOptional, nullptr, nullptr};
  command.printOptions = [](llvm::raw_ostream &out) {
    Options defaults;
    printOptions(out, [&](OptionVisitor &visitor) { defaults.visitOptions(visitor); });
  };
  command.parse = [run](llvm::ArrayRef<std::string> words) -> Result<Invocation> {
    auto options = std::make_shared<Options>();
    Invocation invocation;
    auto visit = [&](OptionVisitor &visitor) { options->visitOptions(visitor); };
    if (Status error = parseFlags(words, visit, invocation.operands))
      return std::move(*error);
    CommonOptions common = getCommon(*options);
    invocation.isHelp = common.help;
    invocation.caller = common.containment.caller;
    invocation.work = [options, run, operands = invocation.operands] { return run(*options, operands); };
    return invocation;
  };
  return command;
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
      makeCommand("demo", "", "Shows what Partita does on an embedded example", runDemo, 0),
  };
  return commands;
}

static void printUsage(llvm::raw_ostream &out) {
  out << "Partita " << getVersion()
      << ": automatic partitioning of StableHLO programs\n\nusage: partita COMMAND ...\n\n";
  for (const Command &command : getCommands())
    out << "  " << llvm::formatv("{0,-21}", (command.name + " " + command.operands).str()) << command.help << "\n";
  out << "\n`partita COMMAND --help` lists a command's options; FILE may be - for standard input.\n";
}

static void printHelp(const Command &command, llvm::raw_ostream &out) {
  out << "usage: partita " << command.name << " " << command.operands << " [options]\n"
      << command.help << ".\n\noptions:\n";
  command.printOptions(out);
}

static int report(const Status &error) {
  if (!error)
    return 0;
  llvm::outs().flush();
  llvm::errs() << error->str() << "\n";
  return static_cast<int>(error->code);
}

static int runCommand(const Command &command, llvm::ArrayRef<std::string> all) {
  Result<Invocation> invocation = command.parse(all.drop_front());
  if (!invocation)
    return report(invocation.error());
  if (invocation->isHelp) {
    printHelp(command, llvm::outs());
    return finishOutput(0);
  }
  size_t numGiven = invocation->operands.size();
  if (numGiven < command.numOperands || numGiven > command.numOperands + command.numOptional)
    return report(Error::usage("partita " + command.name.str() + " takes " + std::to_string(command.numOperands) +
                               " file(s), not " + std::to_string(numGiven))
                      .withRemedy("see partita " + command.name.str() + " --help"));
  // Leave the caller out: a saved command is run again by another one.
  std::vector<std::string> words{"partita"};
  llvm::copy_if(all, std::back_inserter(words), [](llvm::StringRef word) { return !word.starts_with("--caller="); });
  if (invocation->caller != 0)
    endWithCaller(invocation->caller);
  Contained result = runContained([&] { return report(invocation->work()); }, words, invocation->operands, ".");
  if (!result.crash.empty())
    llvm::errs() << result.crash << "\n";
  return result.exitCode;
}

int runCommandLine(const std::vector<std::string> &arguments) {
  llvm::ArrayRef<std::string> all(arguments);
  if (all.empty() || all.front() == "--help" || all.front() == "help") {
    printUsage(all.empty() ? llvm::errs() : llvm::outs());
    return finishOutput(all.empty() ? static_cast<int>(ExitCode::Usage) : 0);
  }
  if (all.front() == "--version") {
    llvm::outs() << "partita " << getVersion() << "\n";
    return finishOutput(0);
  }
  auto command = llvm::find_if(getCommands(), [&](const Command &each) { return each.name == all.front(); });
  if (command != getCommands().end())
    return runCommand(*command, all);
  std::vector<llvm::StringRef> names;
  for (const Command &each : getCommands())
    names.push_back(each.name);
  std::optional<llvm::StringRef> meant = findNearestName(all.front(), names);
  return report(Error::usage("unknown command '" + all.front() + "'")
                    .withRemedy(meant ? "did you mean '" + meant->str() + "'?" : "see partita --help"));
}

} // namespace partita::driver
