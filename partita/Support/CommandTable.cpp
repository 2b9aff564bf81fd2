//===- CommandTable.cpp - a tool with commands, each with its own options -===//

#include "partita/Support/CommandTable.h"

#include "partita/Support/AtomicFile.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Spelling.h"
#include "partita/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita {

static void printUsage(const ToolTitle &tool, llvm::ArrayRef<Command> commands, llvm::raw_ostream &out) {
  out << tool.title << "\n\nusage: " << tool.name << " COMMAND ...\n\n";
  for (const Command &command : commands)
    out << "  " << llvm::formatv("{0,-21}", (command.name + " " + command.operands).str()) << command.help << "\n";
  out << "\n`" << tool.name << " COMMAND --help` lists a command's options; FILE may be - for standard input.\n";
}

static void printHelp(const ToolTitle &tool, const Command &command, llvm::raw_ostream &out) {
  out << "usage: " << tool.name << " " << command.name << " " << command.operands << " [options]\n"
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

static int runCommand(const ToolTitle &tool, const Command &command, llvm::ArrayRef<std::string> all) {
  Result<Invocation> invocation = command.parse(all.drop_front());
  if (!invocation)
    return report(invocation.error());
  if (invocation->isHelp) {
    printHelp(tool, command, llvm::outs());
    return finishOutput(0);
  }
  size_t numGiven = invocation->operands.size();
  std::string name = (tool.name + " " + command.name).str();
  if (numGiven < command.numOperands || numGiven > command.numOperands + command.numOptional)
    return report(Error::usage((name + " takes " + command.operands + ", and " + llvm::Twine(numGiven) +
                                (numGiven == 1 ? " file is given" : " files are given"))
                                   .str())
                      .withRemedy("see " + name + " --help"));
  // Leave the caller out: a saved command is run again by another one.
  std::vector<std::string> words{tool.name.str()};
  llvm::copy_if(all, std::back_inserter(words), [](llvm::StringRef word) { return !word.starts_with("--caller="); });
  if (invocation->caller != 0)
    endWithCaller(invocation->caller);
  Contained result = runContained([&] { return report(invocation->work()); }, words, invocation->operands, ".");
  if (!result.crash.empty())
    llvm::errs() << result.crash << "\n";
  return result.exitCode;
}

int runCommandTable(const ToolTitle &tool, llvm::ArrayRef<Command> commands, llvm::ArrayRef<std::string> all) {
  if (all.empty() || all.front() == "--help" || all.front() == "help") {
    printUsage(tool, commands, all.empty() ? llvm::errs() : llvm::outs());
    return finishOutput(all.empty() ? static_cast<int>(ExitCode::Usage) : 0);
  }
  if (all.front() == "--version") {
    llvm::outs() << tool.name << " " << getVersion() << "\n";
    return finishOutput(0);
  }
  const Command *command = llvm::find_if(commands, [&](const Command &each) { return each.name == all.front(); });
  if (command != commands.end())
    return runCommand(tool, *command, all);
  std::vector<llvm::StringRef> names;
  for (const Command &each : commands)
    names.push_back(each.name);
  std::optional<llvm::StringRef> meant = findNearestName(all.front(), names);
  return report(Error::usage("unknown command '" + all.front() + "'")
                    .withRemedy(meant ? "did you mean '" + meant->str() + "'?" : "see " + tool.name.str() + " --help"));
}

} // namespace partita
