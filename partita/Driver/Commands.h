//===- Commands.h - the commands of the command-line tool -----------------===//
//
// Each command is a struct of options and a function. The table in Commands.cpp
// lists them. A function is a list of calls (Stages.h).
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_COMMANDS_H
#define PARTITA_DRIVER_COMMANDS_H

#include "partita/Driver/Options.h"
#include "partita/Driver/Rooms.h"
#include "partita/Report/MachineText.h"
#include "partita/Solve/Solver.h"
#include "partita/Support/CommandTable.h"

namespace partita::driver {

/// Runs `partita ARGUMENTS...` and returns the exit code. Messages go to standard error, results to standard output or
/// to `--output`.
int runCommandLine(const std::vector<std::string> &arguments);

// Programs: ProgramCommands.cpp.

struct ImportCommand {
  CommonOptions common;
  ReadOptions program;
  bool locations = false;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    program.visitOptions(visitor);
    visitor.toggle(locationsOption, locations);
  }
};
Status runImport(const ImportCommand &options, Operands files);

struct RulesCommand {
  CommonOptions common;
  ReadOptions program;
  FlattenOptions flatten;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    program.visitOptions(visitor);
    flatten.visitOptions(visitor);
  }
};
Status runRules(const RulesCommand &options, Operands files);

Status runGraph(const CommonOptions &options, Operands files);

struct AnalyzeCommand {
  CommonOptions common;
  ReadOptions program;
  FlattenOptions flatten;
  bool json = false;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    program.visitOptions(visitor);
    flatten.visitOptions(visitor);
    visitor.toggle(jsonOption, json);
  }
};
Status runAnalyze(const AnalyzeCommand &options, Operands files);

Status runDemo(const CommonOptions &options, Operands files);

struct MachinesCommand {
  CommonOptions common;
  MachineQuery query;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    visitor.text({"machine", "name", "The machine, where it is not the operand: h100-sxm:4x8, or a file"},
                 query.machine);
    visitor.text({"mesh", "axes", "Shows where the axes of this mesh lie: data=4,model=2"}, query.mesh);
    visitor.text(
        {"placement", "axes", "Which level of the machine's network each mesh axis runs over: data=node,model=nvlink"},
        query.placement);
    visitor.toggle({"placements", "", "Lists all placements of --mesh that differ in their prices"}, query.placements);
    visitor.text({"price", "path", "Prices the collectives of this file, a JSON object a line (docs/machines.md)"},
                 query.price);
    visitor.toggle(jsonOption, query.json);
  }
};
Status runMachines(const MachinesCommand &options, Operands names);

// Plans: PlanCommands.cpp.

struct PlanCommand {
  PlanningOptions planning;
  std::string stopAfter, baseline;
  bool json = false, details = false, locations = false, noCheck = false;

  void visitOptions(OptionVisitor &visitor) {
    planning.visitOptions(visitor);
    visitor.choice({"stop-after", "stage", "Stops after this stage and prints its value"}, stopAfter,
                   {"import", "accumulate", "flatten", "analyze", "tactics", "propagate", "plan", "loops", "lower"});
    visitor.text(
        {"baseline", "path",
         "A plan of your own to compare with: a schedule, rules, shardings or a plan.json; a search that finds "
         "nothing better gives it back"},
        baseline);
    visitor.toggle(jsonOption, json);
    visitor.toggle({"details", "", "Also prints all arguments, tactics, collectives, and what takes longest"}, details);
    visitor.toggle(locationsOption, locations);
    visitor.toggle({"no-check", "", "Leaves out the static check of the local program"}, noCheck);
  }
};
Status runPlan(const PlanCommand &options, Operands files);

Status runPropagate(const PlanningOptions &options, Operands files);

struct ScoreCommand {
  PlanningOptions planning;
  std::string local, annotated, trace, html;
  bool json = false, noBound = false;

  void visitOptions(OptionVisitor &visitor) {
    planning.visitOptions(visitor);
    visitor.text({"local", "path", "Scores this local program; FILE is not read"}, local);
    visitor.text({"annotated", "path", "Scores this program by the shardings that stand in it; FILE is not read"},
                 annotated);
    visitor.text({"trace", "path", "Where to write a trace of one step, for Perfetto or chrome://tracing"}, trace);
    visitor.text(htmlOption, html);
    visitor.toggle(jsonOption, json);
    visitor.toggle({"no-bound", "", "Skips the lower bound on time, which takes longer than the score"}, noBound);
  }
};
Status runScore(const ScoreCommand &options, Operands files);

struct DiffCommand {
  PlanningOptions planning;
  std::string html;
  bool json = false;

  void visitOptions(OptionVisitor &visitor) {
    planning.visitOptions(visitor);
    visitor.text(htmlOption, html);
    visitor.toggle(jsonOption, json);
  }
};
Status runDiff(const DiffCommand &options, Operands files);

struct ExplainCommand {
  PlanningOptions planning;
  std::string value, values;
  bool constraints = false, json = false;

  void visitOptions(OptionVisitor &visitor) {
    planning.visitOptions(visitor);
    visitor.toggle({"constraints", "",
                    "Shardings of inner values that those at the border do not imply, as \"shardings\" "
                    "of a schedule"},
                   constraints);
    visitor.text({"value", "name", "Name of the value (state/params/w1, arg0), or a pattern"}, value);
    visitor.text({"values", "path", "A file with the names of many values, one a line"}, values);
    visitor.toggle(jsonOption, json);
  }
};
Status runExplain(const ExplainCommand &options, Operands files);

// Checks: CheckCommands.cpp.

struct EvalCommand {
  CommonOptions common;
  ReadOptions program;
  EvaluatorOptions evaluator;
  std::string inputs = "seed:0";

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    program.visitOptions(visitor);
    evaluator.visitOptions(visitor);
    visitor.integer({"devices", "devices", "Virtual devices to run on"}, evaluator.devices, 1, evaluate::maxDevices);
    visitor.text(inputsOption, inputs);
  }
};
Status runEval(const EvalCommand &options, Operands files);

struct VerifyCommand {
  PlanningOptions planning;
  EvaluatorOptions evaluator;
  std::string local, inputs = "seed:0";
  bool relation = false, json = false;

  void visitOptions(OptionVisitor &visitor) {
    planning.visitOptions(visitor);
    evaluator.visitOptions(visitor);
    visitor.text({"local", "path", "Any local program of the same signature, in place of a plan"}, local);
    visitor.text(inputsOption, inputs);
    visitor.toggle({"relation", "", "Checks equality op by op, without running anything"}, relation);
    visitor.toggle(jsonOption, json);
  }
};
Status runVerify(const VerifyCommand &options, Operands files);

struct ValidateRulesCommand {
  CommonOptions common;
  FlattenOptions flatten;
  ValidatorOptions validator;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    flatten.visitOptions(visitor);
    validator.visitOptions(visitor);
  }
};
Status runValidateRules(const ValidateRulesCommand &options, Operands files);

struct SolveCommand {
  CommonOptions common;
  SolverOptions solver;
  /// `2s`, `500ms`, or seconds; empty: none.
  std::string deadline;
  bool json = false;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    solver.visitOptions(visitor);
    visitor.text({"deadline", "time", "Ends the search after that time with the best found: 2s, 500ms"}, deadline);
    visitor.toggle(jsonOption, json);
  }
};
Status runSolve(const SolveCommand &options, Operands files);

struct FuzzCommand {
  CommonOptions common;
  CampaignOptions campaign;

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    campaign.visitOptions(visitor);
  }
};
Status runFuzz(const FuzzCommand &options, Operands files);

} // namespace partita::driver

#endif
