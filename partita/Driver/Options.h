//===- Options.h - everything a user can set ------------------------------===//
//
// Composed of the rooms' own structs; each field is declared once, with its
// default, unit, range and help.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_OPTIONS_H
#define PARTITA_DRIVER_OPTIONS_H

#include "partita/Cost/CostOptions.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Evaluate/Validate/RuleValidator.h"
#include "partita/Fuzz/Campaign.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Import/Import.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Support/Limits.h"

namespace partita {

struct Options {
  std::string output;
  bool locations = false;
  bool timing = false;
  bool help = false;
  std::string stopAfter;
  std::string mesh;
  std::string schedule;
  std::string plan;
  std::string inputs = "seed:0";
  std::string local;
  std::string names;
  std::string machine;
  std::string placement;
  std::string price;
  std::string annotated;
  std::string value;
  std::string values;
  std::string trace;
  std::string memoryLimit;
  bool json = false;
  bool relation = false;
  bool noCheck = false;
  bool noBound = false;
  CostOptions cost;
  SearchOptions search;
  ImportOptions import;
  FlattenOptions flatten;
  evaluate::EvaluatorOptions evaluator;
  evaluate::ValidatorOptions validator;
  fuzz::CampaignOptions fuzz;
  Limits limits;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"output", "path", "Where to write (also -o); standard output if not given"}, output);
    visitor.choice({"stop-after", "stage", "Prints that stage's value and stops"}, stopAfter,
                   {"import", "flatten", "analyze", "tactics", "propagate", "plan", "loops", "lower"});
    visitor.text({"mesh", "axes", "Axes of the mesh and their sizes, devices numbered row-major: data=4,model=2"},
                 mesh);
    visitor.text({"schedule", "path", "Tactics to apply (JSON); a plan.json is taken for the tactics it was made with"},
                 schedule);
    visitor.text({"plan", "path", "A plan.json to replay"}, plan);
    visitor.toggle({"locations", "", "Prints source locations with the program"}, locations);
    visitor.toggle({"timing", "", "Prints each stage's time to standard error, a JSON object a line"}, timing);
    visitor.toggle({"help", "", "Prints this help"}, help);
    visitor.text(
        {"inputs", "source", "Arguments to evaluate with: seed:7 for small integers, or a file.npz with arg0, ..."},
        inputs);
    visitor.text({"names", "path", "Names of arguments and results (JSON): {\"arg0\": \"batch['x']\", ...}"}, names);
    visitor.text({"local", "path", "verify, score: a local program, of whoever wrote it"}, local);
    visitor.text({"machine", "name", "The machine: a preset with its shape (h100-sxm:4x8), or a file"}, machine);
    visitor.text({"placement", "axes", "Which axis runs over which levels of the machine: data=node,model=nvlink"},
                 placement);
    visitor.text({"price", "path", "machines: prices the collectives of this file, a JSON object a line"}, price);
    visitor.toggle({"json", "", "Prints what was found as JSON"}, json);
    visitor.toggle({"relation", "", "Checks what each value of the local program is of the original, without running"},
                   relation);
    visitor.toggle({"no-check", "", "Leaves out the static check of the local program"}, noCheck);
    visitor.toggle({"no-bound", "", "score: leaves out the lower bound, which takes longer than the score"}, noBound);
    visitor.text({"value", "name", "explain: the value to explain, or a pattern of several"}, value);
    visitor.text({"values", "path", "explain: a file with the names of many values, one a line"}, values);
    visitor.text({"annotated", "path", "score: the program with shardings in it, which are all the plan there is"},
                 annotated);
    visitor.text({"trace", "path", "score: where to write a trace of one step, for Perfetto or chrome://tracing"},
                 trace);
    visitor.text({"memory-limit", "amount", "Memory that a step may take on a device: 90% of what it has, or 75GB"},
                 memoryLimit);
    cost.visitOptions(visitor);
    search.visitOptions(visitor);
    import.visitOptions(visitor);
    flatten.visitOptions(visitor);
    evaluator.visitOptions(visitor);
    validator.visitOptions(visitor);
    fuzz.visitOptions(visitor);
    limits.visitOptions(visitor);
  }
};

} // namespace partita

#endif
