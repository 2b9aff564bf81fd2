//===- Options.h - the options of each command ----------------------------===//
//
// A command's options are a struct, composed of the structs of other rooms and
// of the groups below. Each field is declared once, with its default, unit,
// range and help. A command accepts and prints only its own options.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_OPTIONS_H
#define PARTITA_DRIVER_OPTIONS_H

#include "partita/Cost/MachineOptions.h"
#include "partita/Driver/Rooms.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Fuzz/Campaign.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Import/Import.h"
#include "partita/Schedule/PlanOptions.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Limits.h"
#include "partita/ValidateRules/RuleValidator.h"
#include "partita/Variants/Variant.h"

namespace partita::driver {

/// Options of every command.
struct CommonOptions {
  std::string output;
  bool timing = false;
  bool help = false;
  Limits limits;
  ContainmentOptions containment;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text(
        {"output", "path",
         "Where to write: of plan a folder for its files, of others a file (also -o); without it, standard output"},
        output);
    visitor.toggle({"timing", "", "Prints each stage's time to standard error, a JSON object a line"}, timing);
    visitor.toggle({"help", "", "Prints this help"}, help);
    limits.visitOptions(visitor);
    containment.visitOptions(visitor);
  }
};

/// How a program is read.
struct ReadOptions {
  ImportOptions import;
  std::string names;

  void visitOptions(OptionVisitor &visitor) {
    import.visitOptions(visitor);
    visitor.text({"names", "path", "Names of arguments and results (JSON): {\"arg0\": \"batch['x']\", ...}"}, names);
  }
};

/// Options of the searches that automatic tactics run.
struct AutomaticOptions {
  int64_t devices = 1;
  SearchOptions search;
  VariantOptions variants;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"devices", "devices", "Number of devices where there is no --mesh: the search chooses its shape"},
                    devices, 1, maxPlannedDevices);
    search.visitOptions(visitor);
    variants.visitOptions(visitor);
  }
  static constexpr int64_t maxPlannedDevices = 1 << 20;
};

/// All options that affect a plan.
struct PlanningOptions {
  CommonOptions common;
  ReadOptions program;
  FlattenOptions flatten;
  PlanOptions plan;
  MachineOptions machine;
  AutomaticOptions automatic;

  /// In the order of the help: what everybody gives comes first, limits of files last.
  void visitOptions(OptionVisitor &visitor) {
    plan.visitOptions(visitor);
    machine.visitOptions(visitor);
    automatic.visitOptions(visitor);
    program.visitOptions(visitor);
    flatten.visitOptions(visitor);
    common.visitOptions(visitor);
  }
};

inline constexpr OptionInfo jsonOption{"json", "", "Prints the result as JSON"};
inline constexpr OptionInfo htmlOption{"html", "path", "Where to write a page with charts, for a browser"};
inline constexpr OptionInfo locationsOption{"locations", "", "Prints source locations with the program"};
inline constexpr OptionInfo inputsOption{
    "inputs", "source", "Arguments to run with: seed:7 makes random ones, file.npz holds arg0, arg1, ..."};

} // namespace partita::driver

#endif
