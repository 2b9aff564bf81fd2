//===- Commands.cpp - the verbs of the command-line tool ------------------===//

#include "partita/Driver/Commands.h"

#include "partita/Driver/Analyzing.h"
#include "partita/Driver/Demo.h"
#include "partita/Driver/Evaluation.h"
#include "partita/Driver/Explanation.h"
#include "partita/Driver/Fuzzing.h"
#include "partita/Driver/Machines.h"
#include "partita/Driver/Partition.h"
#include "partita/Driver/Pipeline.h"
#include "partita/Driver/Planning.h"
#include "partita/Driver/ScoreCommand.h"
#include "partita/Driver/Scoring.h"
#include "partita/Driver/Searching.h"
#include "partita/Driver/Validation.h"
#include "partita/Driver/Verification.h"
#include "partita/Driver/Warnings.h"
#include "partita/Evaluate/Inputs.h"
#include "partita/Graph/GraphJson.h"
#include "partita/Lower/Loops.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Reader.h"
#include "partita/Support/AtomicFile.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

namespace partita {

namespace {

/// All options of a command line: of its work, and of the process that it is.
struct CommandOptions {
  Options work;
  ContainmentOptions containment;

  void visitOptions(OptionVisitor &visitor) {
    work.visitOptions(visitor);
    containment.visitOptions(visitor);
  }
};

struct Command {
  llvm::StringRef name;
  llvm::StringRef operands;
  llvm::StringRef help;
  size_t numFiles;
  Status (*run)(const Options &options, llvm::ArrayRef<std::string> files);
  /// Files that may be given beside those.
  size_t numOptional = 0;
};

} // namespace

/// Writes a stage's value where the user wants it.
static Status emit(const Options &options, std::string text) {
  if (!options.output.empty() && options.output != "-")
    return writeFilesTogether({{options.output, std::move(text)}});
  llvm::outs() << text;
  llvm::outs().flush();
  if (!llvm::outs().has_error())
    return std::nullopt;
  std::string reason = llvm::outs().error().message();
  llvm::outs().clear_error();
  return Error::cannotReadOrWrite(Place{"<stdout>", 0, 0}, "cannot write: " + reason);
}

static Status runImportCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  std::string text = clock.run("print", [&] { return printProgram(**module, options); });
  return emit(options, std::move(text));
}

static Status runFlattenCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  auto flattened = clock.run("flatten", [&] { return flatten(**module, options.flatten); });
  if (!flattened)
    return flattened.error();
  reportUnknown(flattened->unknown);
  if (options.timing)
    llvm::errs() << "{\"stage\": \"graph\", \"ops\": " << flattened->graph.ops.size()
                 << ", \"bytes\": " << flattened->graph.getMemoryBytes() << "}\n";
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeGraph(flattened->graph, stream);
  return emit(options, std::move(text));
}

static Status runGraphCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(files.front(), options.limits);
  if (!buffer)
    return buffer.error();
  setActivity("reading the graph " + files.front());
  StageClock clock(options.timing);
  auto graph = clock.run("read", [&] { return readGraph((*buffer)->getBuffer(), files.front()); });
  if (!graph)
    return graph.error();
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeGraph(*graph, stream);
  return emit(options, std::move(text));
}

static Status runPropagateCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  Result<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(files.front(), options.limits);
  if (!buffer)
    return buffer.error();
  setActivity("propagating on the graph " + files.front());
  StageClock clock(options.timing);
  auto graph = clock.run("read", [&] { return readGraph((*buffer)->getBuffer(), files.front()); });
  if (!graph)
    return graph.error();
  auto planning = makePlanning(std::move(*graph), options, clock);
  if (!planning)
    return planning.error();
  return emit(options, printAssignment(**planning));
}

/// What a search found, and what the plan then costs; what its tactics did, one by one, is in report.json.
static void printFoundPlan(const Planning &planning, const Score &score) {
  llvm::outs() << printMeshes(planning.meshes);
  for (const FoundTactics &found : planning.found)
    llvm::outs() << printFound(found);
  llvm::outs() << "\n";
  printScore(score, llvm::outs());
}

/// Lowers what is planned; prints what each tactic did, and writes all that a plan is made of to the folder `--output`.
static Status finishPlan(mlir::ModuleOp module, Planning &planning, const Options &options, StageClock &clock) {
  auto partition = makePartition(module, planning, clock);
  if (!partition)
    return partition.error();
  if (Status wrong = checkPartition(module, **partition, options, clock))
    return wrong;
  reportDropped(planning.getGraph(), (*partition)->local.droppedDonors);
  if (options.stopAfter == "lower") {
    Status status = emit(options, printProgram(*(*partition)->local.module, options));
    llvm::BuryPointer((*partition)->local.module.release());
    return status;
  }
  auto made = makePricingIfAsked(planning, options, clock);
  if (!made)
    return made.error();
  std::unique_ptr<Pricing> pricing = std::move(*made);
  // A search may have worked on a folded program; what is said and judged is the whole one's.
  if (pricing && !planning.found.empty())
    planning.found.back().cost = pricing->tracker.getCost();
  Score score = buildScore(planning, (*partition)->transfers, (*partition)->planner, pricing.get());
  if (planning.found.empty() || options.json)
    llvm::outs() << printTactics(planning, options.json);
  else
    printFoundPlan(planning, score);
  if (options.output.empty() || options.output == "-")
    return checkFound(planning.found, options);
  std::vector<FileToWrite> files = buildPlanFiles(module, planning, **partition, score, pricing.get(), options, clock);
  if (Status error = writeFilesTogether(files))
    return error;
  return checkFound(planning.found, options);
}

/// Prints the assignment as loops over mesh axes.
static Status emitLoops(mlir::ModuleOp module, const Planning &planning, const Options &options, StageClock &clock) {
  auto loops = clock.run("loops", [&] { return buildLoopForm(module, planning.flattened, *planning.assignment); });
  if (!loops)
    return loops.error();
  return emit(options, printProgram(**loops, options));
}

/// Applies the tactics.
static Status runTacticsCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  // Counting collectives after each tactic takes as long as planning them all; only reports have room for it.
  bool isReported = options.stopAfter.empty() || options.stopAfter == "tactics";
  auto planning =
      makePlanning(**module, options, clock, isReported ? AfterTactic(addCollectives) : AfterTactic(nullptr));
  if (!planning)
    return planning.error();
  reportUnknown((*planning)->flattened.unknown);
  reportUncalled(**module, options.flatten.rules);
  if (options.stopAfter == "tactics")
    return emit(options, printTactics(**planning, options.json));
  if (options.stopAfter == "propagate")
    return emit(options, printAssignment(**planning));
  if (options.stopAfter == "plan")
    return emit(options, printPlan(**planning, **module));
  if (options.stopAfter == "loops")
    return emitLoops(**module, **planning, options, clock);
  Status status = finishPlan(**module, **planning, options, clock);
  // The process ends with the command. To take a large program apart op by op takes a tenth of the time of all stages.
  llvm::BuryPointer(module->release());
  llvm::BuryPointer(std::move(context));
  return status;
}

/// Of a flat program (`.json`), or of a StableHLO program.
static Status runAnalyzeCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  bool isGraph = llvm::StringRef(files.front()).ends_with(".json");
  Result<std::string> text =
      isGraph ? analyzeGraphFile(files.front(), options) : analyzeProgramFile(files.front(), options);
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

static Status runPlanCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  if (options.stopAfter == "import")
    return runImportCommand(options, files);
  if (options.stopAfter == "flatten")
    return runFlattenCommand(options, files);
  if (options.stopAfter == "analyze")
    return runAnalyzeCommand(options, files);
  return runTacticsCommand(options, files);
}

static Status runRulesCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  Result<UserRules> userRules = parseUserRules(options.flatten.rules);
  if (!userRules)
    return userRules.error();
  Result<std::string> text = clock.run("rules", [&] { return printRules(**module, *userRules); });
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

/// Takes the program as it is written: a file may hold thousands of functions, one op each.
static Status runValidateRulesCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  auto context = makeContext();
  auto module = readProgram(files.front(), *context, options.limits);
  if (!module)
    return module.error();
  setActivity("validating the rules of " + files.front());
  std::string text;
  Status wrong = validateRules(**module, options, text);
  Status error = emit(options, std::move(text));
  return error ? error : wrong;
}

static Status runEvalCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  auto inputs = clock.run(
      "inputs", [&] { return evaluate::makeInputs(options.inputs, **module, options.evaluator, options.limits); });
  if (!inputs)
    return inputs.error();
  setActivity("evaluating " + files.front());
  auto results =
      clock.run("evaluate", [&] { return evaluate::evaluate(**module, std::move(*inputs), options.evaluator); });
  if (!results)
    return results.error();
  if (options.output.empty())
    return emit(options, printResults(*results));
  Result<std::string> packed = packResults(*results);
  if (!packed)
    return packed.error();
  return emit(options, std::move(*packed));
}

/// Of `--local`, or what `--plan` or `--schedule` make of `original`.
static Result<mlir::OwningOpRef<mlir::ModuleOp>> makeLocal(mlir::ModuleOp original, const Options &options,
                                                           StageClock &clock) {
  if (!options.local.empty())
    return runImport(options.local, *original.getContext(), options, clock);
  auto planning = makePlanning(original, options, clock);
  if (!planning)
    return planning.error();
  auto partition = makePartition(original, **planning, clock);
  if (!partition)
    return partition.error();
  return std::move((*partition)->local.module);
}

/// The static check, without running anything.
static Status runRelation(mlir::ModuleOp original, mlir::ModuleOp local, const Options &options, StageClock &clock) {
  auto found = clock.run("relation", [&] { return checkStatically(original, local, options.flatten.rules); });
  if (!found)
    return found.error();
  if (Status error = emit(options, options.json ? printStaticCheckJson(*found) : printStaticCheck(*found)))
    return error;
  return found->difference;
}

static Status runVerifyCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  int given = !options.local.empty() + !options.plan.empty() + !options.schedule.empty();
  if (given != 1)
    return Error::usage("partita verify needs one local program, not " + std::to_string(given))
        .withRemedy("give it with --local FILE, or what it is made of with --plan FILE or --schedule FILE");
  StageClock clock(options.timing);
  auto context = makeContext();
  auto original = runImport(files.front(), *context, options, clock);
  if (!original)
    return original.error();
  auto local = makeLocal(**original, options, clock);
  if (!local)
    return local.error();
  setActivity("verifying " + files.front());
  if (options.relation)
    return runRelation(**original, **local, options, clock);
  auto found = clock.run("verify", [&] {
    return evaluate::verifyLocal(**original, **local, options.inputs, options.evaluator, options.limits);
  });
  if (!found)
    return found.error();
  if (Status error = emit(options, options.json ? printVerificationJson(*found) : printVerification(*found)))
    return error;
  return toStatus(*found);
}

static Status runScoreCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  Result<std::string> text = runScore(options, files.front(), files.drop_front());
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

static Status runDiffCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  Result<std::string> text = runDiff(options, files[0], files[1], files[2]);
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

static Status runExplainCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  StageClock clock(options.timing);
  auto context = makeContext();
  auto module = runImport(files.front(), *context, options, clock);
  if (!module)
    return module.error();
  auto planning = makePlanning(**module, options, clock);
  if (!planning)
    return planning.error();
  auto values = explainValues(**planning, options, clock);
  if (!values)
    return values.error();
  return emit(options, options.json ? printExplanationsJson(*values) : printExplanations(*values));
}

static Status runFuzzCommand(const Options &options, llvm::ArrayRef<std::string>) { return runFuzz(options); }

/// Takes a machine or none.
static Status runMachinesCommand(const Options &options, llvm::ArrayRef<std::string> files) {
  MachinesRequest request{options.machine, options.mesh, options.placement, options.price, options.json};
  if (!files.empty())
    request.machine = files.front();
  Result<std::string> text = runMachines(request);
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

static Status runDemoCommand(const Options &options, llvm::ArrayRef<std::string>) {
  Result<std::string> text = runDemo(options);
  if (!text)
    return text.error();
  return emit(options, std::move(*text));
}

static constexpr Command commands[] = {
    {"import", "FILE", "Brings a StableHLO program to the normal form and prints it", 1, runImportCommand},
    {"plan", "FILE",
     "Partitions a program by a search, or by the tactics of --schedule; writes the plan to the folder --output", 1,
     runPlanCommand},
    {"rules", "FILE", "Prints the partitioning rule of every op", 1, runRulesCommand},
    {"graph", "FILE", "Reads a flat program (docs/graph.md), checks it and prints it", 1, runGraphCommand},
    {"analyze", "FILE", "Prints the dims, groups and layers of a program, or of a flat program in a .json file", 1,
     runAnalyzeCommand},
    {"propagate", "FILE", "Applies the tactics of --schedule to a flat program and prints the assignment", 1,
     runPropagateCommand},
    {"validate-rules", "FILE", "Checks the rule of every op by execution; prints a JSON object for each", 1,
     runValidateRulesCommand},
    {"eval", "FILE", "Runs a program on the reference evaluator; prints the results, or saves them as .npz", 1,
     runEvalCommand},
    {"verify", "FILE",
     "Runs a program and what --schedule, --plan or --local make of it; compares every result on every device", 1,
     runVerifyCommand},
    {"score", "FILE [PLAN...]", "Prices plans and schedules on --machine; several are compared", 1, runScoreCommand,
     64},
    {"diff", "FILE PLAN PLAN", "Says where two plans differ, and what each difference costs on --machine", 3,
     runDiffCommand},
    {"explain", "FILE",
     "Says why --value is split as it is in --plan, what is moved for it, and on --machine what else would cost", 1,
     runExplainCommand},
    {"fuzz", "", "Partitions random programs at random and checks each by execution", 0, runFuzzCommand},
    {"machines", "[NAME]", "Lists the machines that are known by name, or prints one (h100-sxm:4x8) or a file's", 0,
     runMachinesCommand, 1},
    {"demo", "", "Shows what Partita does on an embedded example", 0, runDemoCommand},
};

static void printUsage(llvm::raw_ostream &out) {
  out << "Partita " << getVersion()
      << ": automatic partitioning of StableHLO programs\n\nusage: partita COMMAND ...\n\n";
  for (const Command &command : commands)
    out << "  " << llvm::formatv("{0,-21}", (command.name + " " + command.operands).str()) << command.help << "\n";
  out << "\n`partita COMMAND --help` lists a command's options; FILE may be - for standard input.\n";
}

static void printCommandHelp(llvm::raw_ostream &out, const Command &command) {
  out << "usage: partita " << command.name << " " << command.operands << " [options]\n"
      << command.help << ".\n\noptions:\n";
  CommandOptions defaults;
  printOptions(out, [&](OptionVisitor &visitor) { defaults.visitOptions(visitor); });
}

static int report(const Status &error) {
  if (!error)
    return 0;
  llvm::outs().flush();
  llvm::errs() << error->str() << "\n";
  return static_cast<int>(error->code);
}

static int runCommand(const Command &command, llvm::ArrayRef<std::string> all) {
  CommandOptions options;
  std::vector<std::string> files;
  if (Status error = parseFlags(all.drop_front(), [&](OptionVisitor &v) { options.visitOptions(v); }, files))
    return report(error);
  if (options.work.help) {
    printCommandHelp(llvm::outs(), command);
    return 0;
  }
  if (files.size() < command.numFiles || files.size() > command.numFiles + command.numOptional)
    return report(Error::usage("partita " + command.name.str() + " takes " + std::to_string(command.numFiles) +
                               " file(s), not " + std::to_string(files.size()))
                      .withRemedy("see partita " + command.name.str() + " --help"));
  // Whoever runs a saved command again is another caller.
  std::vector<std::string> words{"partita"};
  llvm::copy_if(all, std::back_inserter(words), [](llvm::StringRef word) { return !word.starts_with("--caller="); });
  if (options.containment.caller != 0)
    endWithCaller(options.containment.caller);
  Contained result = runContained([&] { return report(command.run(options.work, files)); }, words, files, ".");
  if (!result.crash.empty())
    llvm::errs() << result.crash << "\n";
  return result.exitCode;
}

int runCommandLine(const std::vector<std::string> &arguments) {
  llvm::ArrayRef<std::string> all(arguments);
  if (all.empty() || all.front() == "--help" || all.front() == "help") {
    printUsage(all.empty() ? llvm::errs() : llvm::outs());
    return all.empty() ? static_cast<int>(ExitCode::Usage) : 0;
  }
  if (all.front() == "--version") {
    llvm::outs() << "partita " << getVersion() << "\n";
    return 0;
  }
  const Command *command = llvm::find_if(commands, [&](const Command &c) { return c.name == all.front(); });
  if (command == std::end(commands))
    return report(Error::usage("unknown command '" + all.front() + "'").withRemedy("see partita --help"));
  return runCommand(*command, all);
}

} // namespace partita
