//===- PlanOptions.h - what a plan is made of -----------------------------===//

#ifndef PARTITA_SCHEDULE_PLANOPTIONS_H
#define PARTITA_SCHEDULE_PLANOPTIONS_H

#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"
#include "partita/Support/OptionTable.h"

namespace partita::schedule {

/// The mesh, and the schedule or plan to apply.
struct PlanOptions {
  std::string mesh;
  std::string schedule;
  std::string plan;
  /// A number, or `auto`.
  std::string accumulate;
  std::vector<std::string> recompute, keep;
  bool noPadding = false;

  bool isRewriting() const { return !accumulate.empty() || !recompute.empty() || !keep.empty(); }

  void visitOptions(OptionVisitor &visitor) {
    visitor.text({"mesh", "axes", "The grid of devices: data=4,model=2 is 8 devices along two axes"}, mesh);
    visitor.text({"schedule", "path", "JSON file of tactics to apply; of a plan.json, its tactics are applied anew"},
                 schedule);
    visitor.text({"plan", "path", "A plan.json of this program, whose decisions are replayed"}, plan);
    visitor.text({"accumulate", "count",
                  "Cuts the batch into this many microbatches, which run one after the other; auto chooses how many"},
                 accumulate);
    visitor.list({"recompute", "pattern",
                  "Values of the forward pass that the backward pass computes again instead of keeping them; "
                  "`partita analyze` lists their names"},
                 recompute);
    visitor.list({"keep", "pattern", "Values that the backward pass keeps, also where jax.checkpoint recomputes them"},
                 keep);
    visitor.toggle({"no-padding", "", "Refuses tiles on dims that do not divide, instead of making the dims longer"},
                   noPadding);
  }
};

} // namespace partita::schedule

#endif
