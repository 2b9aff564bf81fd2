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
// does not name, unless "?" ends the entry of a dim, which then may take more of
// them. A pattern that matches no argument is for results; one that matches
// neither is for values inside. What no pattern matches is left to propagation.
//
// The rules say where arrays lie, and nothing about the order in which they
// spread: that is in ProgramTactic.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef PARTITA_SCHEDULE_PARTITIONRULES_H
#define PARTITA_SCHEDULE_PARTITIONRULES_H

#include "partita/Machine/Mesh.h"
#include "partita/Schedule/CellNames.h"
#include "partita/Schedule/Pattern.h"
#include "partita/Schedule/Rooms.h"
#include "partita/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace partita::schedule {

struct PartitionRule {
  Pattern pattern;
  struct Dim {
    /// Major to minor.
    std::vector<std::string> axes;
    /// Whether the dim may take further axes, minor to these.
    bool isOpen = false;
  };
  std::vector<Dim> dims;
  SourceLocation location;
  /// Whether the rule may match nothing: it comes from a plan of another program.
  bool isOptional = false;
};

/// Reads the list above.
Result<std::vector<PartitionRule>> readPartitionRules(const JsonValue &json, llvm::StringRef file);

/// `[".*/wq", [null, "model"]]`.
void writePartitionRule(const PartitionRule &rule, llvm::json::OStream &json);

/// Writes what `readPartitionRules` reads.
void writePartitionRules(llvm::ArrayRef<PartitionRule> rules, llvm::json::OStream &json);

/// Gives the graph the shardings of the rules, in place of those that the program states for the same values. Results
/// that now lie otherwise than the arguments they are tied to are no longer one buffer with them; returns a sentence
/// for each kind of these. Errors: a rule that matches nothing, a spec with more dims than the array, an axis that the
/// mesh has not or that stands twice.
Result<std::vector<std::string>> bindPartitionRules(llvm::ArrayRef<PartitionRule> rules, const Mesh &mesh,
                                                    Graph &graph);

} // namespace partita::schedule

#endif
