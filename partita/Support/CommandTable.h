//===- CommandTable.h - a tool with commands, each with its own options ---===//
//
// A command is a struct of options (OptionTable.h) and a function. A table of
// them is a tool: it parses a command line, prints help, suggests a name that
// was misspelt, and runs the command in its own process (Containment.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SUPPORT_COMMANDTABLE_H
#define PARTITA_SUPPORT_COMMANDTABLE_H

#include "partita/Support/Error.h"
#include "partita/Support/OptionTable.h"

#include <functional>

namespace partita {

/// The words of the command line that are no flags: files and names.
using Operands = llvm::ArrayRef<std::string>;

/// A parsed command line.
struct Invocation {
  bool isHelp = false;
  /// The process that started this one and must outlive it; 0 if none does.
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

/// `operands` describes the operands: `FILE`, `[NAME]`, `PLAN...`. `getCommon` finds, in the options of any command,
/// the members that all have: `help` and `containment.caller`.
template <typename Options, typename GetCommon>
Command makeCommand(llvm::StringRef name, llvm::StringRef operands, llvm::StringRef help,
                    Status (*run)(const Options &, Operands), GetCommon getCommon, size_t numOperands,
                    size_t numOptional) {
  Command command{name, operands, help, numOperands, numOptional, nullptr, nullptr};
  command.printOptions = [](llvm::raw_ostream &out) {
    Options defaults;
    printOptions(out, [&](OptionVisitor &visitor) { defaults.visitOptions(visitor); });
  };
  command.parse = [run, getCommon](llvm::ArrayRef<std::string> words) -> Result<Invocation> {
    auto options = std::make_shared<Options>();
    Invocation invocation;
    auto visit = [&](OptionVisitor &visitor) { options->visitOptions(visitor); };
    if (Status error = parseFlags(words, visit, invocation.operands))
      return std::move(*error);
    const auto &common = getCommon(*options);
    invocation.isHelp = common.help;
    invocation.caller = common.containment.caller;
    invocation.work = [options, run, operands = invocation.operands] { return run(*options, operands); };
    return invocation;
  };
  return command;
}

/// The name of a tool, and what it is for.
struct ToolTitle {
  llvm::StringRef name, title;
};

/// Runs `TOOL ARGUMENTS...` and returns the exit code. Messages go to standard error.
int runCommandTable(const ToolTitle &tool, llvm::ArrayRef<Command> commands, llvm::ArrayRef<std::string> arguments);

} // namespace partita

#endif
