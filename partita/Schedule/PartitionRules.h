//===- PartitionRules.h - specs by pattern, as JAX users write them -------===//
//
//   [[".*/wq", [null, "model"]],
//    [".*/embed", [["model", "data"], null]],
//    ["batch/.*", ["data"]],
//    [".*", []]]
//
// The first pattern that matches an argument gives its spec: for each dim an
// axis, a list of axes (major first) or null; dims that are left out are whole.
// The argument gets exactly that sharding: it stays whole over axes that the spec
// does not name. Arguments that no pattern matches are left to propagation.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PARTITIONRULES_H
#define PARTITA_SCHEDULE_PARTITIONRULES_H

#include "partita/Machine/Mesh.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Schedule/Schedule.h"

namespace partita::schedule {

struct PartitionRule {
  Pattern pattern;
  /// Axes of each dim, major to minor.
  std::vector<std::vector<std::string>> dims;
  SourceLocation location;
};

/// Reads the list above.
Result<std::vector<PartitionRule>> readPartitionRules(const JsonValue &json, llvm::StringRef file);

/// The tactics that give the program's arguments these shardings: first the atomics, axis by axis; then each rule's
/// tiles, cut off from the uses, so that they affect the arguments alone; then the same tiles again, which propagate.
/// So the rule of one argument never overrides the rule of another. Errors: a rule that matches no argument, a spec
/// with more dims than the argument, an axis that is not in the mesh.
Result<Schedule> buildSchedule(llvm::ArrayRef<PartitionRule> rules, const Graph &graph, const CellNames &names,
                               const Mesh &mesh);

} // namespace partita::schedule

#endif
