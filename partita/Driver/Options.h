//===- Options.h - the options of each command ----------------------------===//
//
// A command's options are a struct, composed of the structs of other rooms and
// of the groups below. Each field is declared once, with its default, unit,
// range and help. A command accepts and prints only its own options.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_DRIVER_OPTIONS_H
#define PARTITA_DRIVER_OPTIONS_H

#include "partita/Cost/CostOptions.h"
#include "partita/Driver/Rooms.h"
#include "partita/Evaluate/Evaluator.h"
#include "partita/Fuzz/Campaign.h"
#include "partita/Program/Flatten.h"
#include "partita/Program/Import/Import.h"
#include "partita/Search/SearchOptions.h"
#include "partita/Support/Containment.h"
#include "partita/Support/Limits.h"
#include "partita/ValidateRules/RuleValidator.h"

namespace partita::driver {

/// Options of every command.
struct CommonOptions {
  std::string output;
  bool timing = false;
  bool help = false;
  Limits limits;
  ContainmentOptions containment;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"output", "path", "Where to write (also -o); standard output if not given"}, output);
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

/// The mesh, and the schedule or plan to apply.
struct PlanOptions {
  std::string mesh;
  std::string schedule;
  std::string plan;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"mesh", "axes", "Axes of the mesh and their sizes, devices numbered row-major: data=4,model=2"},
                 mesh);
    visitor.text({"schedule", "path", "Tactics to apply (JSON); a plan.json is taken for the tactics it was made with"},
                 schedule);
    visitor.text({"plan", "path", "A plan.json to replay"}, plan);
  }
};

/// The machine on which plans are priced, and the assumptions.
struct MachineOptions {
  std::string machine;
  std::string placement;
  std::string memoryLimit;
  CostOptions cost;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"machine", "name", "The machine: a preset with its shape (h100-sxm:4x8), or a file"}, machine);
    visitor.text({"placement", "axes", "Which axis runs over which levels of the machine: data=node,model=nvlink"},
                 placement);
    visitor.text({"memory-limit", "amount", "Memory that a step may take on a device: 90% of what it has, or 75GB"},
                 memoryLimit);
    cost.visitOptions(visitor);
  }
};

/// Options of the searches that automatic tactics run.
struct AutomaticOptions {
  int64_t devices = 1;
  SearchOptions search;

  void visitOptions(OptionVisitor &visitor) {
    visitor.integer({"devices", "devices", "Without --mesh: devices for which the shape of the mesh is searched for"},
                    devices, 1, maxPlannedDevices);
    search.visitOptions(visitor);
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

  void visitOptions(OptionVisitor &visitor) {
    common.visitOptions(visitor);
    program.visitOptions(visitor);
    flatten.visitOptions(visitor);
    plan.visitOptions(visitor);
    machine.visitOptions(visitor);
    automatic.visitOptions(visitor);
  }
};

inline constexpr OptionInfo jsonOption{"json", "", "Prints what was found as JSON"};
inline constexpr OptionInfo locationsOption{"locations", "", "Prints source locations with the program"};
inline constexpr OptionInfo inputsOption{
    "inputs", "source", "Arguments to evaluate with: seed:7 for small integers, or a file.npz with arg0, ..."};

} // namespace partita::driver

#endif
