//===- MachineOptions.h - the machine on which plans are priced -----------===//

#ifndef PARTITA_COST_MACHINEOPTIONS_H
#define PARTITA_COST_MACHINEOPTIONS_H

#include "partita/Cost/CostOptions.h"
#include "partita/Support/Error.h"

namespace partita::cost {

/// The machine on which plans are priced, and the assumptions.
struct MachineOptions {
  std::string machine;
  std::string placement;
  std::string memoryLimit;
  CostOptions cost;

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"machine", "name", "The machine: a preset with its shape (h100-sxm:4x8), or a file"}, machine);
    visitor.text(
        {"placement", "axes", "Which level of the machine's network each mesh axis runs over: data=node,model=nvlink"},
        placement);
    visitor.text(
        {"memory-limit", "amount", "Memory that a step may use on a device: a share (90%) or an amount (75GB)"},
        memoryLimit);
    cost.visitOptions(visitor);
  }

  /// An error if no machine is given `to` do something with: "score the plan on".
  Status require(const std::string &to) const {
    if (!machine.empty())
      return std::nullopt;
    return Error::usage("there is no machine to " + to).withRemedy("give one with --machine h100-sxm:1x8");
  }
};

} // namespace partita::cost

#endif
